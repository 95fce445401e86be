package dev.granary.superpeer.zone;

import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ZoneMember;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the leader of an arc knows of the recovery of one zone. It begins anew with each epoch of the zone's placement;
 * who refused it, and whose copy cannot be read, is known further on. Not thread-safe.
 *
 * <p>The candidate that recovers the zone:
 *
 * <pre>{@code
 *   NOT_TOLD --order sent--> TOLD --answers--> ACCEPTED
 *       ^                     |                   |
 *       +------- epoch -------+-------------------+
 * }</pre>
 */
final class RecoveryAttempt {

    /** A member that has not answered is asked again after this. */
    private static final long SEAL_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Once one member is complete, wait this long for the others; then recover with fewer copies at first. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    /** Members that a person has given up have had so long to answer. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long RUN_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A candidate with a lease that is silent for so long is given up. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** A candidate that has begun a zone and has come no further for so long is given up, though it answers. */
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** When nobody could recover a zone all are asked again after this. */
    private static final long REFUSED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private enum Candidate {
        NOT_TOLD,
        TOLD,
        ACCEPTED
    }

    private final long beganNanos;

    /** Those that are not to recover the zone, for a while. */
    private final Set<Integer> refused = new HashSet<>();

    /** Members that could not read their copies: they do not count as long as another may have one that can be read. */
    private final Set<Integer> unreadable = new HashSet<>();

    private long refusedNanos;
    private boolean acceptLoss;
    private String note = "";

    // Of one epoch.

    private long epoch;
    private long sinceNanos;
    private final TreeMap<Integer, SealedCopies.Copy> answers = new TreeMap<>();
    private final TreeMap<Integer, Long> askedNanos = new TreeMap<>();

    /** Since when one member has said that it has everything, null when none has. */
    private @Nullable Long continuousSinceNanos;

    private List<Integer> waitingFor = List.of();
    private boolean acceptDamage;
    private Candidate candidate = Candidate.NOT_TOLD;
    private long toldNanos;
    private long heardNanos;
    private long movedNanos;
    private long chunks;
    private long bytes;

    RecoveryAttempt(long nowNanos, long epoch) {
        this.beganNanos = nowNanos;
        begin(nowNanos, epoch);
    }

    /** Begins anew. */
    void begin(long nowNanos, long newEpoch) {
        epoch = newEpoch;
        sinceNanos = nowNanos;
        answers.clear();
        askedNanos.clear();
        continuousSinceNanos = null;
        waitingFor = List.of();
        acceptDamage = false;
        candidate = Candidate.NOT_TOLD;
        heardNanos = nowNanos;
        movedNanos = nowNanos;
        chunks = 0;
        bytes = 0;
    }

    long beganNanos() {
        return beganNanos;
    }

    /** The epoch of the placement at which it began. */
    long epoch() {
        return epoch;
    }

    // The copies.

    /** Whether a member is to be asked now to seal its copy. */
    boolean isSealDue(int nid, long nowNanos) {
        Long asked = askedNanos.get(nid);
        return !answers.containsKey(nid) && (asked == null || nowNanos - asked >= SEAL_AGAIN_NANOS);
    }

    void sealAsked(int nid, long nowNanos) {
        askedNanos.put(nid, nowNanos);
    }

    void sealed(int nid, SealedCopies.Copy copy, long nowNanos) {
        answers.put(nid, copy);
        boolean counts = copy.held() && copy.filled() && copy.continuous() && !unreadable.contains(nid);
        if (counts && continuousSinceNanos == null) {
            continuousSinceNanos = nowNanos;
        }
    }

    /** What members have told of their copies. */
    Map<Integer, SealedCopies.Copy> answers() {
        return answers;
    }

    Set<Integer> unreadable() {
        return unreadable;
    }

    /** Whether others have been waited for long enough, as one has everything. */
    boolean isGraceOver(long nowNanos) {
        return continuousSinceNanos != null && nowNanos - continuousSinceNanos >= GRACE_NANOS;
    }

    /** A person does not wait any longer for members that are gone. */
    void acceptLoss() {
        acceptLoss = true;
    }

    /** Whether members without a lease need not be waited for: a person has said so, and they were asked just now. */
    boolean mayGiveUpMembers(long nowNanos) {
        return acceptLoss && nowNanos - sinceNanos >= GIVE_UP_NANOS;
    }

    /** No decision is possible before these answer. */
    void waitFor(List<Integer> members) {
        waitingFor = members;
    }

    List<Integer> waitingFor() {
        return waitingFor;
    }

    /** It is decided from which copies the zone is recovered. */
    void decided(boolean withDamage) {
        waitingFor = List.of();
        acceptDamage = withDamage;
    }

    /** Whether the candidate is to recover what there is, as no copy can be read as a whole. */
    boolean acceptsDamage() {
        return acceptDamage;
    }

    // Who recovers it.

    /** Somebody else is to recover the zone. */
    void refuse(int nid, long nowNanos) {
        refused.add(nid);
        refusedNanos = nowNanos;
    }

    Set<Integer> refused() {
        return refused;
    }

    /** There is nobody who could recover it: those that refused are asked again in a while. */
    void nobodyCan(String why, long nowNanos) {
        note = why;
        if (nowNanos - refusedNanos >= REFUSED_AGAIN_NANOS) {
            refused.clear();
        }
    }

    /** Whether the candidate is to be told, or to be asked how far it is. */
    boolean isOrderDue(long nowNanos) {
        return candidate == Candidate.NOT_TOLD || nowNanos - toldNanos >= RUN_AGAIN_NANOS;
    }

    /** Those that have waited longest go first: when it was told last, the least number when it was not. */
    long turn() {
        return candidate == Candidate.NOT_TOLD ? Long.MIN_VALUE : toldNanos;
    }

    void told(long nowNanos) {
        toldNanos = nowNanos;
        if (candidate == Candidate.NOT_TOLD) {
            candidate = Candidate.TOLD;
        }
    }

    /** Whether the candidate knows of it. */
    boolean isAccepted() {
        return candidate == Candidate.ACCEPTED;
    }

    /** The candidate has told how far it is. */
    void heard(RunRecoveryReply.Progress told, long nowNanos) {
        candidate = Candidate.ACCEPTED;
        heardNanos = nowNanos;
        if (chunks != told.chunks() || bytes != told.bytes()) {
            movedNanos = nowNanos;
        }
        chunks = told.chunks();
        bytes = told.bytes();
        note = told.note();
    }

    /** The candidate cannot read its own copy. It may still be the one that recovers what there is. */
    void cannotRead(int nid, String why) {
        unreadable.add(nid);
        note = "storage peer " + Nid.toHex(nid) + ": " + why;
    }

    boolean isSilent(long nowNanos) {
        return nowNanos - heardNanos > SILENCE_NANOS;
    }

    boolean isStalled(long nowNanos) {
        return chunks > 0 && nowNanos - movedNanos > STALL_NANOS;
    }

    /** The candidate is given up. */
    void giveUp(ZoneMember gone, String why) {
        note = "storage peer " + Nid.toHex(gone.nid()) + why;
    }

    long chunks() {
        return chunks;
    }

    long bytes() {
        return bytes;
    }

    /** For people: what went wrong last. */
    String note() {
        return note;
    }
}
