package dev.granary.resp.acl;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * What is kept of passwords: the SHA-256 as 64 hexadecimal digits, as in Redis's files, or a key that is derived from
 * the password by PBKDF2 (RFC 8018) in the PHC string format:
 *
 * <pre>
 *   $pbkdf2-sha256$i=600000$SALT$KEY       salt and key in Base64 without padding
 * </pre>
 *
 * <p>A password that people choose should be kept in the second form: who has the file must then try each guess for a
 * tenth of a second. Texts have a character for each byte.
 */
public final class Passwords {

    /** As OWASP recommends for PBKDF2 with HMAC-SHA-256. */
    private static final int ITERATIONS = 600_000;

    private static final int MOST_ITERATIONS = 10_000_000;
    private static final int SALT_BYTES = 16;
    private static final int KEY_BYTES = 32;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern DERIVED =
            Pattern.compile("\\$pbkdf2-sha256\\$i=(\\d{1,8})\\$([A-Za-z0-9+/]{11,86})\\$([A-Za-z0-9+/]{43})");

    private Passwords() {}

    /** Returns the SHA-256 of a password. */
    public static String hash(String password) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(password)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }

    /**
     * Derives a key with a random salt; takes a tenth of a second or more.
     *
     * @param random draws the salt
     */
    public static String derive(String password, RandomGenerator random) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
        return "$pbkdf2-sha256$i=" + ITERATIONS + "$" + base64.encodeToString(salt) + "$"
                + base64.encodeToString(derive(password, salt, ITERATIONS));
    }

    private static byte[] derive(String password, byte[] salt, int iterations) {
        try {
            // It takes the UTF-8 of the characters.
            char[] characters = new String(bytes(password), StandardCharsets.UTF_8).toCharArray();
            PBEKeySpec spec = new PBEKeySpec(characters, salt, iterations, KEY_BYTES * Byte.SIZE);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no PBKDF2", e);
        }
    }

    /** Returns whether what is kept of a password is a derived key, so that {@link #isOf} takes long. */
    public static boolean isDerived(String kept) {
        return kept.startsWith("$");
    }

    /** Returns whether something was kept of a password. The time does not depend on how much of it is right. */
    public static boolean isOf(String kept, String password) {
        if (!isDerived(kept)) {
            return MessageDigest.isEqual(bytes(kept), bytes(hash(password)));
        }
        Matcher parts = DERIVED.matcher(kept);
        if (!parts.matches() || password.isEmpty()) {
            return false;
        }
        byte[] salt = Base64.getDecoder().decode(parts.group(2));
        byte[] key = Base64.getDecoder().decode(parts.group(3));
        return MessageDigest.isEqual(key, derive(password, salt, Integer.parseInt(parts.group(1))));
    }

    static String requireHash(String text) throws RuleException {
        if (!HASH.matcher(text).matches()) {
            throw new RuleException("The password hash must be exactly 64 characters and contain only lowercase"
                    + " hexadecimal characters");
        }
        return text;
    }

    static String requireDerived(String text) throws RuleException {
        Matcher parts = DERIVED.matcher(text);
        boolean isGood = parts.matches()
                && Integer.parseInt(parts.group(1)) >= 1
                && Integer.parseInt(parts.group(1)) <= MOST_ITERATIONS
                && isBase64(parts.group(2))
                && isBase64(parts.group(3));
        if (!isGood) {
            throw new RuleException("A derived key must be $pbkdf2-sha256$i=ITERATIONS$SALT$KEY with a key of "
                    + KEY_BYTES + " bytes and at most " + MOST_ITERATIONS + " iterations");
        }
        return text;
    }

    private static boolean isBase64(String text) {
        try {
            return Base64.getDecoder().decode(text).length > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    static String requireHashOrDerived(String text) throws RuleException {
        return isDerived(text) ? requireDerived(text) : requireHash(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
