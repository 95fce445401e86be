package dev.granary.net.access;

import dev.granary.net.message.Blob;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * With what a process proves that it belongs to a cluster, and what it wants from others: with a secret it proves
 * itself to whom it calls, and believes nobody who cannot do the same. Thread-safe if its random numbers are.
 */
public final class Credentials {

    /** The bytes of a nonce. */
    public static final int NONCE_BYTES = 32;

    private static final Blob NOTHING = new Blob(new byte[0]);
    private static final Credentials NONE = new Credentials(null, () -> 0);

    private final @Nullable ClusterSecret secret;
    private final RandomGenerator random;

    private Credentials(@Nullable ClusterSecret secret, RandomGenerator random) {
        this.secret = secret;
        this.random = random;
    }

    /** Those of a process that proves nothing. */
    public static Credentials none() {
        return NONE;
    }

    /**
     * Those of a process that may have a secret.
     *
     * @param secret null for none
     * @param random draws the nonces, on any thread; nobody can predict it
     */
    public static Credentials of(@Nullable ClusterSecret secret, RandomGenerator random) {
        return secret == null ? NONE : new Credentials(secret, random);
    }

    /** Returns whether there is a secret. */
    public boolean exist() {
        return secret != null;
    }

    /** Returns a new nonce; an empty one without a secret. */
    public Blob nonce() {
        if (secret == null) {
            return NOTHING;
        }
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return new Blob(bytes);
    }

    /** Returns what stands where there is no nonce. */
    public static Blob noNonce() {
        return NOTHING;
    }

    /** Returns the proof of a caller; there must be a secret. */
    public Blob proof(Transcript exchange) {
        if (secret == null) {
            throw new IllegalStateException("nothing can be proved without a secret");
        }
        return new Blob(secret.proof(exchange, Transcript.Side.CALLER));
    }

    /**
     * Returns the proof of the called side, by the secret of the caller's proof; {@code null} when there is no secret,
     * or the caller's proof is by none that is known here.
     */
    public @Nullable Blob answer(Transcript exchange, Blob proofOfCaller) {
        byte[] answer = secret == null ? null : secret.answer(exchange, proofOfCaller.bytes());
        return answer == null ? null : new Blob(answer);
    }

    /** Returns whether there is a secret and the called side has proved that it knows it. */
    public boolean accept(Transcript exchange, Blob proofOfCallee) {
        return secret != null && secret.accepts(exchange, Transcript.Side.CALLEE, proofOfCallee.bytes());
    }

    /** Says whether there is a secret, and nothing about it. */
    @Override
    public String toString() {
        return secret == null ? "no secret" : secret.toString();
    }
}
