package dev.switchboard.webhook;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * To which addresses webhooks may go: to none that the registries of special-purpose addresses (RFC 6890) keep from the
 * public internet, unless the operator has allowed the network. Immutable and thread-safe.
 *
 * <p>IPv6 addresses that carry an IPv4 address within them, by which a translator on the way would reach it, are judged by
 * that one too.
 */
final class AddressPolicy {
    private static final List<Network> SPECIAL = Stream.of(
                    "0.0.0.0/8", // this network
                    "10.0.0.0/8", // private
                    "100.64.0.0/10", // shared by carriers
                    "127.0.0.0/8", // loopback
                    "169.254.0.0/16", // link-local, and where clouds keep their credentials
                    "172.16.0.0/12", // private
                    "192.0.0.0/24", // protocol assignments
                    "192.0.2.0/24", // documentation
                    "192.88.99.0/24", // relays of 6to4
                    "192.168.0.0/16", // private
                    "198.18.0.0/15", // measurements
                    "198.51.100.0/24", // documentation
                    "203.0.113.0/24", // documentation
                    "224.0.0.0/4", // multicast
                    "240.0.0.0/4", // reserved, broadcast
                    "::/96", // unspecified, loopback, and IPv4 in an old form
                    "64:ff9b:1::/48", // translators of a site's own
                    "100::/64", // discarded
                    "2001::/23", // protocol assignments, tunnels among them
                    "2001:db8::/32", // documentation
                    "fc00::/7", // private
                    "fe80::/10", // link-local
                    "fec0::/10", // private, in an old form
                    "ff00::/8") // multicast
            .map(Network::parse)
            .toList();

    private static final Network TRANSLATED = Network.parse("64:ff9b::/96");
    private static final Network SIX_TO_FOUR = Network.parse("2002::/16");

    private final List<Network> allowed;

    /** {@code allowed}: the networks that may be called although they are special. */
    AddressPolicy(List<Network> allowed) {
        this.allowed = List.copyOf(allowed);
    }

    /** True when webhooks may go there. */
    boolean allows(InetAddress address) {
        return isAllowed(address) || !isSpecial(address.getAddress());
    }

    /** True when the operator has named the network: then what goes there needs no encryption. */
    boolean isAllowed(InetAddress address) {
        return allowed.stream().anyMatch(network -> network.contains(address.getAddress()));
    }

    private static boolean isSpecial(byte[] address) {
        if (SPECIAL.stream().anyMatch(network -> network.contains(address))) {
            return true;
        }
        if (TRANSLATED.contains(address)) {
            return isSpecial(Arrays.copyOfRange(address, 12, 16));
        }
        return SIX_TO_FOUR.contains(address) && isSpecial(Arrays.copyOfRange(address, 2, 6));
    }
}
