package dev.switchboard.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;

/**
 * Turns a webhook's host into the very address that is connected to, and checks that one: a name that leads elsewhere a
 * moment later changes nothing. Asked for each new connection. Thread-safe; the look-up, which blocks, runs on the executor.
 */
final class CheckedResolver implements BiFunction<String, Object, CompletionStage<InetSocketAddress>> {
    /** Looks up all addresses of a name. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] all(String host) throws UnknownHostException;
    }

    private final AddressPolicy policy;
    private final boolean encrypted;
    private final Lookup lookup;
    private final Executor executor;

    /** {@code encrypted} false: only networks that the operator has allowed will do. */
    CheckedResolver(AddressPolicy policy, boolean encrypted, Lookup lookup, Executor executor) {
        this.policy = policy;
        this.encrypted = encrypted;
        this.lookup = lookup;
        this.executor = executor;
    }

    @Override
    public CompletionStage<InetSocketAddress> apply(String host, Object port) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return new InetSocketAddress(checked(host), (Integer) port);
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                executor);
    }

    /** One of the host's addresses. A name of which any address is refused is refused: it isn't to be trusted. */
    private InetAddress checked(String host) throws IOException {
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        InetAddress[] all = lookup.all(name);
        for (InetAddress address : all) {
            if (!policy.allows(address)) {
                throw new AddressRefusedException(
                        name + " is at " + address.getHostAddress() + ", which is not in webhooks.allow-networks");
            }
            if (!encrypted && !policy.isAllowed(address)) {
                throw new AddressRefusedException("http without encryption goes only to webhooks.allow-networks, and "
                        + name + " is at " + address.getHostAddress());
            }
        }
        return all[ThreadLocalRandom.current().nextInt(all.length)];
    }
}
