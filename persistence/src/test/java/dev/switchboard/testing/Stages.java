package dev.switchboard.testing;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Waits for what the storage answers later. Stateless. */
public final class Stages {
    private Stages() {}

    /** The result, within 20 s. Throws IllegalStateException for a failure or none in time. */
    public static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
