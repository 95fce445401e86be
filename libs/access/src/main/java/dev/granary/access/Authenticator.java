package dev.granary.access;

import dev.granary.resp.acl.Passwords;
import dev.granary.resp.acl.User;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Compares passwords with what is kept of them. Where that is a derived key, which takes a tenth of a second, one
 * thread of its own does it; a password that was right is known again at once, by a hash with a key that this process
 * has drawn. Thread-safe.
 */
final class Authenticator implements AutoCloseable {

    /** Who waits longer than for so many others is told to come again. */
    private static final int WAITING = 64;

    /** Keys that nobody uses any more are forgotten with all others when there are so many. */
    private static final int MOST_KNOWN = 1 << 10;

    private static final int KEY_BYTES = 32;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor worker;
    private final byte[] key = new byte[KEY_BYTES];
    private final Map<String, byte[]> known = new ConcurrentHashMap<>();

    /** @param random draws the key; nobody can predict it */
    Authenticator(RandomGenerator random) {
        random.nextBytes(key);
        worker = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                new DefaultThreadFactory("granary-passwords", true));
        worker.allowCoreThreadTimeOut(true);
    }

    /**
     * Says whether a password is right for a user. Fails with {@link RejectedExecutionException} when too many wait.
     *
     * @param user null if there is none of the name that was given: then the answer is no, at once
     */
    CompletableFuture<Boolean> isRight(@Nullable User user, String password) {
        if (user == null || !user.enabled()) {
            return CompletableFuture.completedFuture(false);
        }
        if (user.anyPassword()) {
            return CompletableFuture.completedFuture(true);
        }
        boolean isLong = false;
        for (String kept : user.passwords()) {
            boolean isDerived = Passwords.isDerived(kept);
            if (isDerived ? isKnown(kept, password) : Passwords.isOf(kept, password)) {
                return CompletableFuture.completedFuture(true);
            }
            isLong |= isDerived;
        }
        if (!isLong) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> right = new CompletableFuture<>();
        try {
            worker.execute(() -> right.complete(isRightAfterDeriving(user, password)));
        } catch (RejectedExecutionException e) {
            right.completeExceptionally(e);
        }
        return right;
    }

    private boolean isRightAfterDeriving(User user, String password) {
        for (String kept : user.passwords()) {
            if (Passwords.isDerived(kept) && (isKnown(kept, password) || Passwords.isOf(kept, password))) {
                if (known.size() >= MOST_KNOWN) {
                    known.clear();
                }
                known.put(kept, digest(kept, password));
                return true;
            }
        }
        return false;
    }

    private boolean isKnown(String kept, String password) {
        byte[] right = known.get(kept);
        return right != null && MessageDigest.isEqual(right, digest(kept, password));
    }

    private byte[] digest(String kept, String password) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(key);
            digest.update(MessageDigest.getInstance("SHA-256").digest(kept.getBytes(StandardCharsets.ISO_8859_1)));
            return digest.digest(password.getBytes(StandardCharsets.ISO_8859_1));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }

    /** Has something done that may wait for a disk; does nothing when too much waits. */
    void execute(Runnable task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException _) {
            // It is tried again.
            return;
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
