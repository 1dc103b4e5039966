package dev.switchboard.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;

/** A self-made certificate and its key, as PEM files of a folder. Made by the JDK's own keytool. Immutable. */
public final class TestCertificate {
    private static final String PASSWORD = "changeit";

    private final Path certificate;
    private final Path key;

    private TestCertificate(Path certificate, Path key) {
        this.certificate = certificate;
        this.key = key;
    }

    /** For that host name, and no other. */
    public static TestCertificate of(String host, Path folder) throws Exception {
        Path store = folder.resolve(host + ".p12");
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process made = new ProcessBuilder(
                        tool.toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-keysize",
                        "2048",
                        "-dname",
                        "CN=" + host,
                        "-ext",
                        "SAN=dns:" + host,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (made.waitFor() != 0) {
            throw new IOException("keytool: " + said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        byte[] certificate = keys.getCertificate("server").getEncoded();
        byte[] key = keys.getKey("server", PASSWORD.toCharArray()).getEncoded();
        return new TestCertificate(
                pem(folder.resolve(host + ".crt"), "CERTIFICATE", certificate),
                pem(folder.resolve(host + ".key"), "PRIVATE KEY", key));
    }

    /** The database refuses a key that others may read. */
    private static Path pem(Path file, String kind, byte[] content) throws IOException {
        String text = "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + kind
                + "-----\n";
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    public Path certificate() {
        return certificate;
    }

    public Path key() {
        return key;
    }
}
