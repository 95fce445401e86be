package dev.granary.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** What is kept of passwords, as {@code Passwords.derive} makes it, with a tenth of its iterations. */
public final class DerivedKeys {

    private static final int ITERATIONS = 20_000;
    private static final int KEY_BITS = 256;

    private DerivedKeys() {}

    /** Returns what is kept of a password of ASCII characters. */
    public static String of(String password) {
        byte[] salt = "of sixteen bytes".getBytes(US_ASCII);
        try {
            byte[] key = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, KEY_BITS))
                    .getEncoded();
            Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
            return "$pbkdf2-sha256$i=" + ITERATIONS + "$" + base64.encodeToString(salt) + "$"
                    + base64.encodeToString(key);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
