package dev.switchboard.server;

import picocli.CommandLine.IVersionProvider;

/** Says which version this is, and on what it runs. Stateless. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"Switchboard " + number(), "Java " + Runtime.version()};
    }

    /** The version in the jar's manifest; {@code development} when the classes don't come from one. */
    static String number() {
        String inManifest = Version.class.getPackage().getImplementationVersion();
        return inManifest == null ? "development" : inManifest;
    }
}
