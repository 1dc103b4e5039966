package dev.switchboard.socket;

import com.typesafe.config.ConfigFactory;

/** The settings as they are when nobody changes them. */
final class TestSettings {
    static final SocketSettings DEFAULTS = SocketSettings.of(ConfigFactory.load());

    private TestSettings() {}
}
