package dev.switchboard.conformance;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every test of the suite has: a scene with people of its own on the server under test. The suite is a black
 * box: it knows the published wire and nothing else, so it runs against any server.
 *
 * <p>By default it starts one itself. {@code -Dswitchboard.conformance.http=http://host:port} names another;
 * {@code -Dswitchboard.conformance.hs256-key=FILE} (with {@code .key-id}, {@code .issuer}, {@code .audience}) signs
 * tokens for it, else it must take development tokens.
 */
@Tag("conformance")
@ExtendWith(SharedServer.class)
abstract class ConformanceTest {
    /** The people of this test. */
    protected Scene scene;

    @BeforeEach
    void openScene() {
        scene = new Scene(SharedServer.target());
    }

    @AfterEach
    void closeScene() {
        scene.close();
    }
}
