package dev.switchboard.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.RSAKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.util.Base64;

/** Reads and makes key files. Stateless; blocks on the file, so it is for starts and commands. */
public final class KeyFiles {
    private static final int MIN_SECRET_BYTES = 32;
    private static final int MIN_RSA_BITS = 2048;

    private KeyFiles() {}

    /** Makes a new HS256 secret, readable by its owner alone. An existing file is left as it is. */
    public static void createSecret(Path file) throws IOException {
        byte[] secret = new byte[MIN_SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        if (file.toAbsolutePath().getParent() != null) {
            Files.createDirectories(file.toAbsolutePath().getParent());
        }
        FileAttribute<?>[] ownerOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        try {
            Files.createFile(file, ownerOnly);
        } catch (FileAlreadyExistsException e) {
            return;
        }
        Files.writeString(
                file, Base64.getEncoder().encodeToString(secret) + "\n", StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** The secret of a file with one line of base64 or base64url. */
    static byte[] readSecret(Path file) {
        String text = read(file).strip();
        byte[] secret;
        try {
            secret = text.indexOf('-') >= 0 || text.indexOf('_') >= 0
                    ? Base64.getUrlDecoder().decode(text)
                    : Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("key file " + file + " is not one line of base64", e);
        }
        if (secret.length < MIN_SECRET_BYTES) {
            throw new IllegalArgumentException(
                    "key file " + file + " has " + secret.length + " bytes, HS256 needs " + MIN_SECRET_BYTES);
        }
        return secret;
    }

    static RSAPublicKey readRsaPublicKey(Path file) {
        String text = read(file).strip();
        try {
            RSAPublicKey key = text.startsWith("{")
                    ? RSAKey.parse(text).toRSAPublicKey()
                    : (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(spec(file, text));
            if (key.getModulus().bitLength() < MIN_RSA_BITS) {
                throw new IllegalArgumentException("key file " + file + ": RSA keys need " + MIN_RSA_BITS + " bits");
            }
            return key;
        } catch (GeneralSecurityException | JOSEException | ParseException e) {
            throw new IllegalArgumentException("key file " + file + " has no RSA public key: " + e.getMessage(), e);
        }
    }

    static ECPublicKey readEcPublicKey(Path file) {
        String text = read(file).strip();
        try {
            ECPublicKey key = text.startsWith("{")
                    ? ECKey.parse(text).toECPublicKey()
                    : (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(spec(file, text));
            if (!Curve.P_256.equals(Curve.forECParameterSpec(key.getParams()))) {
                throw new IllegalArgumentException("key file " + file + ": ES256 needs a key on P-256");
            }
            return key;
        } catch (GeneralSecurityException | JOSEException | ParseException e) {
            throw new IllegalArgumentException("key file " + file + " has no EC public key: " + e.getMessage(), e);
        }
    }

    private static X509EncodedKeySpec spec(Path file, String pem) {
        String begin = "-----BEGIN PUBLIC KEY-----";
        String end = "-----END PUBLIC KEY-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("key file " + file + " has neither a PEM 'PUBLIC KEY' nor a JWK");
        }
        try {
            return new X509EncodedKeySpec(Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("key file " + file + " is not valid PEM", e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException("key file " + file + " can't be read: " + e, e);
        }
    }
}
