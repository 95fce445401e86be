package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who wanted, held and used locks. {@link #check} verifies that these rules held:
 *
 * <ol>
 *   <li>No two holders of a lock have the same token, and one that came later has the greater one.
 *   <li>No holder gets a lock while another one counts on it by its own clock.
 *   <li>After a lock was granted no change that carries the token of an earlier holder succeeds that began later.
 *   <li>A change is refused for its token only if somebody else wanted the lock.
 * </ol>
 *
 * Not thread-safe.
 */
public final class LockHistory {

    private static final long NEVER = Long.MAX_VALUE;

    private final TreeMap<Long, List<Wish>> wishes = new TreeMap<>(Cid::compare);
    private final List<String> problems = new ArrayList<>();
    private long nextMoment = 1;
    private int grants;
    private int refusals;

    /** One lock request of a client, and what the client did with the lock. */
    public final class Wish {
        private final String client;
        private final long cid;
        private final long beganAt = nextMoment++;
        private long grantedAt = NEVER;
        private long token;
        private @Nullable BooleanSupplier isHeld;

        private Wish(String client, long cid) {
            this.client = client;
            this.cid = cid;
        }

        /**
         * The lock was granted.
         *
         * @param heldNow whether the client counts on the lock at the moment of the call
         */
        public void granted(long newToken, BooleanSupplier heldNow) {
            for (Wish other : wishesFor(cid)) {
                if (other.isHeld != null && other.isHeld.getAsBoolean()) {
                    problem(this + " is granted the token " + newToken + " while " + other + " holds the lock");
                }
                if (other.grantedAt != NEVER && other.token == newToken) {
                    problem(this + " is granted the token " + newToken + " of " + other);
                }
                if (other.grantedAt < beganAt && other.token > newToken) {
                    problem(this + " is granted the token " + newToken + " after the greater one of " + other);
                }
            }
            token = newToken;
            isHeld = heldNow;
            grantedAt = nextMoment++;
            grants++;
        }

        /** A change that carries the token begins. Pass the result to the method that says how the change ended. */
        public long beginChange() {
            return nextMoment++;
        }

        /** The change was carried out. */
        public void changed(long beganChangeAt) {
            for (Wish other : wishesFor(cid)) {
                if (other.grantedAt < beganChangeAt && other.token > token) {
                    problem(this + " changes the chunk although " + other + " had the lock before that change began");
                }
            }
        }

        /** The change was refused because of its token. */
        public void fenced() {
            refusals++;
            if (wishesFor(cid).size() < 2) {
                problem(this + " is refused although nobody else ever wanted the lock");
            }
        }

        @Override
        public String toString() {
            return client + "'s wish " + beganAt
                    + (grantedAt == NEVER ? "" : ", granted " + grantedAt + " with " + token);
        }

        private void problem(String what) {
            problems.add("lock of " + Cid.toHex(cid) + ": " + what
                    + wishesFor(cid).stream().map(wish -> "\n  " + wish).collect(Collectors.joining()));
        }
    }

    /** A client begins a lock request for a chunk. */
    public Wish begin(String client, long cid) {
        Wish wish = new Wish(client, cid);
        wishesFor(cid).add(wish);
        return wish;
    }

    /**
     * Who holds which lock is forgotten from now on: holders may still count on theirs while others are granted them,
     * but tokens rise as ever, and what an earlier holder tries to change is refused as ever.
     */
    public void forgotten() {
        wishes.values().forEach(all -> all.forEach(wish -> wish.isHeld = null));
    }

    private List<Wish> wishesFor(long cid) {
        return wishes.computeIfAbsent(cid, _ -> new ArrayList<>());
    }

    /** How many locks were granted. */
    public int grants() {
        return grants;
    }

    /** How many changes were refused for their tokens. */
    public int refusals() {
        return refusals;
    }

    /**
     * Checks everything.
     *
     * @throws IllegalStateException with the first violation
     */
    public void check() {
        if (!problems.isEmpty()) {
            throw new IllegalStateException(problems.getFirst());
        }
    }
}
