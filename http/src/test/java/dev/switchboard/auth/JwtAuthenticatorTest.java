package dev.switchboard.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.switchboard.auth.AuthSettings.KeySettings;
import dev.switchboard.auth.AuthSettings.KeySettings.Algorithm;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JwtAuthenticatorTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static RSAKey rsa;
    private static ECKey ec;
    private static ExecutorService fetching;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKeys() throws JOSEException {
        rsa = new RSAKeyGenerator(2048).keyID("r").generate();
        ec = new ECKeyGenerator(Curve.P_256).keyID("e").generate();
        fetching = Executors.newSingleThreadExecutor();
    }

    @AfterAll
    static void stop() {
        fetching.shutdownNow();
    }

    private Authenticator authenticator(KeySettings... keys) {
        AuthSettings settings = new AuthSettings(
                AuthSettings.Mode.JWT,
                "issuer",
                "audience",
                Duration.ofSeconds(30),
                List.of(keys),
                Duration.ofMinutes(10),
                Duration.ofSeconds(3),
                List.of());
        return Authentication.jwt(settings, Clock.fixed(NOW, ZoneOffset.UTC), fetching);
    }

    private static Verdict look(Authenticator authenticator, String token) {
        return authenticator
                .verify(token)
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    private static void assertDenied(ErrorCode code, Authenticator authenticator, String token) {
        Verdict.Denied denied = assertInstanceOf(Verdict.Denied.class, look(authenticator, token));
        assertEquals(code, denied.refusal().code(), denied.refusal()::message);
    }

    private static Principal assertVerified(Authenticator authenticator, String token) {
        Verdict verdict = look(authenticator, token);
        return assertInstanceOf(Verdict.Verified.class, verdict, verdict::toString)
                .principal();
    }

    private static JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .issuer("issuer")
                .audience("audience")
                .subject("carol")
                .claim("role", "customer")
                .expirationTime(Date.from(NOW.plusSeconds(600)));
    }

    private static String sign(JWSAlgorithm algorithm, String kid, JWSSigner signer, JWTClaimsSet claims)
            throws JOSEException {
        SignedJWT jwt =
                new SignedJWT(new JWSHeader.Builder(algorithm).keyID(kid).build(), claims);
        jwt.sign(signer);
        return jwt.serialize();
    }

    private KeySettings secretFile() throws IOException {
        Path file = folder.resolve("secret.key");
        KeyFiles.createSecret(file);
        return new KeySettings("h", Algorithm.HS256, file, null);
    }

    private static JWSSigner secretSigner(KeySettings key) throws JOSEException {
        return new MACSigner(KeyFiles.readSecret(key.file()));
    }

    private KeySettings rsaFile() throws IOException, JOSEException {
        return pem("r", Algorithm.RS256, rsa.toRSAPublicKey().getEncoded());
    }

    private KeySettings ecFile() throws IOException, JOSEException {
        return pem("e", Algorithm.ES256, ec.toECPublicKey().getEncoded());
    }

    private KeySettings pem(String id, Algorithm algorithm, byte[] encoded) throws IOException {
        Path file = folder.resolve(id + ".pem");
        Files.writeString(
                file,
                "-----BEGIN PUBLIC KEY-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded)
                        + "\n-----END PUBLIC KEY-----\n");
        return new KeySettings(id, algorithm, file, null);
    }

    @Test
    void shouldTakeATokenOfEachAlgorithm() throws Exception {
        KeySettings secret = secretFile();
        Authenticator all = authenticator(secret, rsaFile(), ecFile());
        JWTClaimsSet claims = claims().build();
        assertEquals(
                "carol",
                assertVerified(all, sign(JWSAlgorithm.HS256, "h", secretSigner(secret), claims))
                        .id());
        assertEquals(
                "carol",
                assertVerified(all, sign(JWSAlgorithm.RS256, "r", new RSASSASigner(rsa), claims))
                        .id());
        assertEquals(
                "carol",
                assertVerified(all, sign(JWSAlgorithm.ES256, "e", new ECDSASigner(ec), claims))
                        .id());
        assertEquals(
                "carol",
                assertVerified(all, sign(JWSAlgorithm.RS256, null, new RSASSASigner(rsa), claims))
                        .id());
    }

    @Test
    void shouldTakePublicKeysAsJwkFiles() throws Exception {
        Path file = folder.resolve("r.json");
        Files.writeString(file, rsa.toPublicJWK().toJSONString());
        Authenticator one = authenticator(new KeySettings("r", Algorithm.RS256, file, null));
        assertVerified(one, sign(JWSAlgorithm.RS256, "r", new RSASSASigner(rsa), claims().build()));
    }

    @Test
    void shouldNeverLetTheTokenChooseTheAlgorithm() throws Exception {
        Authenticator onlyRsa = authenticator(rsaFile());
        JWTClaimsSet claims = claims().build();
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, new PlainJWT(claims).serialize());
        byte[] publicKey = Files.readAllBytes(folder.resolve("r.pem"));
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, sign(JWSAlgorithm.HS256, "r", new MACSigner(publicKey), claims));
        byte[] encoded = rsa.toRSAPublicKey().getEncoded();
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, sign(JWSAlgorithm.HS256, "r", new MACSigner(encoded), claims));
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, sign(JWSAlgorithm.RS512, "r", new RSASSASigner(rsa), claims));
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, sign(JWSAlgorithm.ES256, "r", new ECDSASigner(ec), claims));
    }

    @Test
    void shouldRefuseAnotherKeysSignature() throws Exception {
        RSAKey other = new RSAKeyGenerator(2048).generate();
        Authenticator onlyRsa = authenticator(rsaFile());
        String forged = sign(JWSAlgorithm.RS256, "r", new RSASSASigner(other), claims().build());
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, forged);
        String unknown = sign(JWSAlgorithm.RS256, "x", new RSASSASigner(rsa), claims().build());
        assertDenied(ErrorCode.UNAUTHORIZED, onlyRsa, unknown);
    }

    @Test
    void shouldRefuseTamperedAndMalformedTokens() throws Exception {
        KeySettings secret = secretFile();
        Authenticator one = authenticator(secret);
        String good = sign(JWSAlgorithm.HS256, "h", secretSigner(secret), claims().build());
        List<String> parts = List.of(good.split("\\.", 3));
        String other = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(("{\"sub\":\"mallory\",\"role\":\"operator\",\"iss\":\"issuer\","
                                + "\"aud\":\"audience\",\"exp\":9999999999}")
                        .getBytes(StandardCharsets.UTF_8));
        assertDenied(ErrorCode.UNAUTHORIZED, one, parts.get(0) + "." + other + "." + parts.get(2));
        assertDenied(ErrorCode.UNAUTHORIZED, one, parts.get(0) + "." + parts.get(1) + ".");
        assertDenied(ErrorCode.UNAUTHORIZED, one, null);
        assertDenied(ErrorCode.UNAUTHORIZED, one, "");
        assertDenied(ErrorCode.UNAUTHORIZED, one, "dev:agent:alice");
        assertDenied(ErrorCode.UNAUTHORIZED, one, "x".repeat(100_000));
    }

    @Test
    void shouldCheckIssuerAudienceAndTimes() throws Exception {
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.issuer("other"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.issuer(null));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.audience("other"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.audience((String) null));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.expirationTime(null));
        assertClaims(ErrorCode.TOKEN_EXPIRED, c -> c.expirationTime(Date.from(NOW.minusSeconds(30))));
        assertClaims(null, c -> c.expirationTime(Date.from(NOW.minusSeconds(29))));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.notBeforeTime(Date.from(NOW.plusSeconds(31))));
        assertClaims(null, c -> c.notBeforeTime(Date.from(NOW.plusSeconds(29))));
        assertClaims(null, c -> c.audience(List.of("other", "audience")));
    }

    @Test
    void shouldRefuseClaimsThatMakeNoSense() throws Exception {
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.subject(null));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.subject("a b"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.subject("x".repeat(101)));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.subject("carol~2"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("role", "king"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("role", null));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("role", 7));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("priority", 10));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("priority", "9"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("priority", 1.5));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("queues", "default"));
        assertClaims(ErrorCode.UNAUTHORIZED, c -> c.claim("skills", List.of(1, 2)));
    }

    private void assertClaims(ErrorCode refusal, UnaryOperator<JWTClaimsSet.Builder> change) throws Exception {
        KeySettings secret = secretFile();
        String token = sign(
                JWSAlgorithm.HS256,
                "h",
                secretSigner(secret),
                change.apply(claims()).build());
        if (refusal == null) {
            assertVerified(authenticator(secret), token);
        } else {
            assertDenied(refusal, authenticator(secret), token);
        }
    }

    @Test
    void shouldReadEveryClaim() throws Exception {
        KeySettings secret = secretFile();
        TokenMinter minter = new TokenMinter(secret, "issuer", "audience");
        Principal customer =
                new Principal(Role.CUSTOMER, "carol", Set.of(), 7, Set.of("german"), Set.of(), NOW.plusSeconds(60));
        assertEquals(customer, assertVerified(authenticator(secret), minter.mint(customer)));
        Principal service =
                new Principal(Role.SERVICE, "shop", Set.of(), 0, Set.of(), Set.of("shop-*"), NOW.plusSeconds(60));
        assertEquals(service, assertVerified(authenticator(secret), minter.mint(service)));
        Principal supervisor =
                new Principal(Role.SUPERVISOR, "sue", Set.of("vip", "*"), 0, Set.of(), Set.of(), NOW.plusSeconds(60));
        assertEquals(supervisor, assertVerified(authenticator(secret), minter.mint(supervisor)));
        assertEquals(
                Set.of("default"),
                assertVerified(authenticator(secret), minter.mint(supervisor.withQueues(Set.of())))
                        .queues());
    }

    @Test
    void shouldFetchKeysFromAnAddressAndFollowTheirChange() throws Exception {
        AtomicInteger fetches = new AtomicInteger();
        byte[] set = new JWKSet(List.of(rsa.toPublicJWK(), ec.toPublicJWK()))
                .toString()
                .getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/jwks.json", exchange -> {
            fetches.incrementAndGet();
            exchange.sendResponseHeaders(200, set.length);
            exchange.getResponseBody().write(set);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/jwks.json";
            Authenticator remote = authenticator(new KeySettings("idp", Algorithm.RS256, null, url));
            String good = sign(JWSAlgorithm.RS256, "r", new RSASSASigner(rsa), claims().build());
            assertVerified(remote, good);
            assertVerified(remote, good);
            assertEquals(1, fetches.get(), "the second token needs no fetch");
            String otherAlgorithm = sign(JWSAlgorithm.ES256, "e", new ECDSASigner(ec), claims().build());
            assertDenied(ErrorCode.UNAUTHORIZED, remote, otherAlgorithm);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void shouldSayThatItCanHelpToTryAgainWhenKeysCantBeHad() throws Exception {
        Authenticator remote =
                authenticator(new KeySettings("idp", Algorithm.RS256, null, "http://127.0.0.1:1/jwks.json"));
        String good = sign(JWSAlgorithm.RS256, "r", new RSASSASigner(rsa), claims().build());
        assertDenied(ErrorCode.OVERLOAD, remote, good);
    }

    @Test
    void shouldRefuseToUseABadKey() throws Exception {
        Path file = folder.resolve("short.key");
        Files.writeString(file, Base64.getEncoder().encodeToString(new byte[31]));
        assertBadKey("HS256 needs 32", new KeySettings("h", Algorithm.HS256, file, null));
        Files.writeString(file, "not base64!");
        assertBadKey("base64", new KeySettings("h", Algorithm.HS256, file, null));
        assertBadKey("can't be read", new KeySettings("h", Algorithm.HS256, folder.resolve("none"), null));
        assertBadKey("no RSA", new KeySettings("r", Algorithm.RS256, ecFile().file(), null));
        assertBadKey("https", new KeySettings("r", Algorithm.RS256, null, "http://idp.example.com/jwks.json"));
    }

    private void assertBadKey(String what, KeySettings key) {
        String message = assertThrows(IllegalArgumentException.class, () -> authenticator(key))
                .getMessage();
        assertTrue(message.contains(what), message);
    }

    @Test
    void shouldKeepASecretToItsOwner() throws Exception {
        Path file = folder.resolve("new").resolve("token.key");
        KeyFiles.createSecret(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        String before = Files.readString(file);
        KeyFiles.createSecret(file);
        assertEquals(before, Files.readString(file), "an existing key is kept");
    }
}
