package dev.granary.net.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes and administrators of one cluster know and nobody else (ADR 0325). It proves that one belongs to them,
 * not which of them one is. It is never sent, and no text has it. While it is changed there are several (ADR 0344): one
 * proves oneself by the first of them, and accepts each. Immutable.
 */
public final class ClusterSecret {

    /** The fewest bytes of a secret. */
    public static final int MIN_BYTES = 16;

    /** The most bytes of a secret, so that a wrong file is noticed. */
    public static final int MAX_BYTES = 1024;

    /** The most secrets at a time: one that goes, one that comes, and a third for who changes it twice in a hurry. */
    public static final int MAX_SECRETS = 3;

    /** The bytes of a secret that {@link #random} makes; its text has two characters for each. */
    static final int RANDOM_BYTES = 32;

    private static final String MAC = "HmacSHA256";

    private final List<SecretKeySpec> keys;

    private ClusterSecret(List<SecretKeySpec> keys) {
        this.keys = keys;
    }

    /**
     * Makes a secret of a text: one in each line, without the white space around it. Empty lines do not count.
     *
     * @throws IllegalArgumentException when one is too short or too long, or there are too many
     */
    public static ClusterSecret of(String text) {
        List<String> lines =
                text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        if (lines.size() > MAX_SECRETS) {
            throw new IllegalArgumentException("a cluster has at most " + MAX_SECRETS
                    + " secrets at a time, one in each" + " line, and here are " + lines.size());
        }
        return new ClusterSecret((lines.isEmpty() ? List.of("") : lines)
                .stream().map(ClusterSecret::key).toList());
    }

    private static SecretKeySpec key(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("a cluster's secret has " + MIN_BYTES + " to " + MAX_BYTES
                    + " bytes, and this one has " + bytes.length + ". Make one with: openssl rand -hex 32");
        }
        return new SecretKeySpec(bytes, MAC);
    }

    /**
     * Reads the secret that a file has.
     *
     * @throws IOException when the file cannot be read, or has no secret; the message says what to do
     */
    public static ClusterSecret read(Path file) throws IOException {
        try {
            if (Files.size(file) > 2L * MAX_SECRETS * MAX_BYTES) {
                throw new IOException(file + " has " + Files.size(file) + " bytes and is no file with a secret");
            }
            return of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "there is no file " + file + " with the cluster's secret. Make one with: openssl rand -hex 32", e);
        } catch (IllegalArgumentException e) {
            throw new IOException("the file " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns a new secret as a text.
     *
     * @param random must be one that nobody can predict
     */
    public static String random(RandomGenerator random) {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Loads what the first proof of a process needs, which takes longer than the proof. */
    public static void ready() {
        try {
            var _ = Mac.getInstance(MAC);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java has " + MAC, e);
        }
    }

    /** Returns a proof by the first secret, for this exchange and this side of it alone. */
    byte[] proof(Transcript exchange, Transcript.Side side) {
        return proof(keys.getFirst(), exchange, side);
    }

    private static byte[] proof(SecretKeySpec key, Transcript exchange, Transcript.Side side) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(key);
            return mac.doFinal(exchange.bytes(side));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java has " + MAC, e);
        }
    }

    /** Returns whether a proof is by one of the secrets, in a time that does not tell how much of it is right. */
    boolean accepts(Transcript exchange, Transcript.Side side, byte[] proof) {
        return keyOf(exchange, side, proof) != null;
    }

    private @Nullable SecretKeySpec keyOf(Transcript exchange, Transcript.Side side, byte[] proof) {
        SecretKeySpec found = null;
        for (SecretKeySpec key : keys) {
            if (MessageDigest.isEqual(proof(key, exchange, side), proof)) {
                found = key;
            }
        }
        return found;
    }

    /**
     * Returns the proof of the called side by the secret by which the caller has proved itself, which may not know
     * another one; {@code null} when that is none of these.
     */
    byte @Nullable [] answer(Transcript exchange, byte[] proofOfCaller) {
        SecretKeySpec key = keyOf(exchange, Transcript.Side.CALLER, proofOfCaller);
        return key == null ? null : proof(key, exchange, Transcript.Side.CALLEE);
    }

    /** Says that there is a secret, and nothing about it. */
    @Override
    public String toString() {
        return "a cluster's secret";
    }
}
