package dev.switchboard.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPolicyTest {
    private final AddressPolicy strict = new AddressPolicy(List.of());

    private static InetAddress at(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "10.1.2.3",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.8.9.1",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.8",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::127.0.0.1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "64:ff9b::127.0.0.1",
                "64:ff9b::a00:1",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::",
                "2002:a00:1::",
                "fc00::1",
                "fd12:3456::1",
                "fe80::1",
                "fec0::1",
                "ff02::1"
            })
    void shouldRefuseWhatIsNotOnThePublicInternet(String literal) {
        assertFalse(strict.allows(at(literal)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.255.255",
                "198.17.255.255",
                "223.255.255.255",
                "2606:4700::1111",
                "64:ff9b::101:101",
                "2002:101:101::"
            })
    void shouldAllowWhatIs(String literal) {
        assertTrue(strict.allows(at(literal)));
    }

    @Test
    void shouldAllowWhatTheOperatorNamed() {
        AddressPolicy policy = new AddressPolicy(Stream.of("10.1.0.0/16", "127.0.0.2", "fd00:1::/33")
                .map(Network::parse)
                .toList());
        assertTrue(policy.allows(at("10.1.255.1")));
        assertFalse(policy.allows(at("10.2.0.1")));
        assertTrue(policy.allows(at("127.0.0.2")));
        assertFalse(policy.allows(at("127.0.0.3")));
        assertTrue(policy.allows(at("fd00:1:7fff::1")));
        assertFalse(policy.allows(at("fd00:1:8000::1")));
        assertTrue(policy.allows(at("1.1.1.1")));
        assertFalse(policy.isAllowed(at("1.1.1.1")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "example.com/8", "10.0.0.0/8/8"})
    void shouldRefuseANetworkThatIsNone(String text) {
        assertThrows(IllegalArgumentException.class, () -> Network.parse(text));
    }

    private static Throwable refusal(CheckedResolver resolver, String host) {
        CompletionException failure = assertThrows(
                CompletionException.class,
                () -> resolver.apply(host, 443).toCompletableFuture().join());
        return assertInstanceOf(AddressRefusedException.class, failure.getCause());
    }

    @Test
    void shouldConnectToTheAddressThatItChecked() {
        Queue<String> answers = new ArrayDeque<>(List.of("1.1.1.1", "127.0.0.1", "1.1.1.1"));
        CheckedResolver resolver =
                new CheckedResolver(strict, true, host -> new InetAddress[] {at(answers.remove())}, Runnable::run);
        InetSocketAddress first =
                resolver.apply("bots.example.com", 443).toCompletableFuture().join();
        assertEquals(at("1.1.1.1"), first.getAddress());
        assertTrue(answers.size() == 2, "it looks once, and hands on what it saw");
        // The name leads elsewhere now.
        refusal(resolver, "bots.example.com");
        assertEquals(
                at("1.1.1.1"),
                resolver.apply("bots.example.com", 443)
                        .toCompletableFuture()
                        .join()
                        .getAddress());
    }

    @Test
    void shouldRefuseANameOfWhichAnyAddressIsRefused() {
        CheckedResolver resolver = new CheckedResolver(
                strict, true, host -> new InetAddress[] {at("1.1.1.1"), at("10.0.0.1")}, Runnable::run);
        assertTrue(refusal(resolver, "bots.example.com").getMessage().contains("10.0.0.1"));
    }

    @Test
    void shouldSendUnencryptedToNamedNetworksOnly() {
        AddressPolicy policy = new AddressPolicy(List.of(Network.parse("10.0.0.0/8")));
        CheckedResolver.Lookup lookup = host -> new InetAddress[] {at(host)};
        CheckedResolver plain = new CheckedResolver(policy, false, lookup, Runnable::run);
        refusal(plain, "1.1.1.1");
        assertEquals(
                at("10.0.0.1"),
                plain.apply("10.0.0.1", 80).toCompletableFuture().join().getAddress());
    }
}
