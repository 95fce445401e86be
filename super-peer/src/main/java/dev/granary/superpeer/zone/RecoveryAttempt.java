package dev.granary.superpeer.zone;

import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the leader of an arc knows of the recovery of one zone. An attempt starts again with each zone epoch, but it
 * remembers which storage peers refused the zone and whose copies cannot be read. Not thread-safe.
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

    /** Members that a person has given up get this much time to answer. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long RUN_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A recovery candidate with a lease is given up after a silence of 15 seconds. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** A recovery candidate that has begun a zone is given up after 30 seconds without progress, though it answers. */
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** When no storage peer could recover a zone, those that refused are asked again after this. */
    private static final long REFUSED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private enum Candidate {
        NOT_TOLD,
        TOLD,
        ACCEPTED
    }

    private final long beganNanos;

    /** The storage peers that are not to recover the zone, for a while. */
    private final Set<Integer> refused = new HashSet<>();

    /** Members that could not read their copies. They do not count while another member may have a readable copy. */
    private final Set<Integer> unreadable = new HashSet<>();

    private long refusedNanos;
    private boolean acceptLoss;
    private String note = "";

    /** What a candidate said last. It outlasts that nobody can recover the zone. */
    private String answer = "";

    // Of one epoch.

    private long epoch;
    private long sinceNanos;
    private final TreeMap<Integer, SealedCopies.Copy> answers = new TreeMap<>();
    private final TreeMap<Integer, Long> askedNanos = new TreeMap<>();

    /** Since when one member has said that its copy is filled and continuous, null when none has. */
    private @Nullable Long continuousSinceNanos;

    private List<Integer> waitingFor = List.of();
    private boolean acceptDamage;
    private Candidate candidate = Candidate.NOT_TOLD;
    private long toldNanos;
    private long heardNanos;
    private long movedNanos;
    private long chunks;
    private long bytes;

    /** How many bytes there are to read: the largest size that a member has told of its copy. */
    private long copyBytes;

    RecoveryAttempt(long nowNanos, long epoch) {
        this.beganNanos = nowNanos;
        begin(nowNanos, epoch);
    }

    /** Starts again, for another zone epoch. */
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

    /** The zone epoch of this attempt. */
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

    /**
     * Returns the storage peers whose copies may count for the recovery of a zone: its members, and, once a copy has
     * turned out unreadable, those with spare copies.
     */
    List<Integer> counting(ZoneRecord zone) {
        List<Integer> nids = new ArrayList<>();
        zone.members().forEach(member -> nids.add(member.nid()));
        if (zone.spares() != null && !unreadable.isEmpty()) {
            nids.addAll(zone.spares().nids());
        }
        return nids;
    }

    /** Notes what a storage peer has sealed. */
    void sealed(int nid, SealedCopies.Copy copy, boolean member, long nowNanos) {
        answers.put(nid, copy);
        copyBytes = Math.max(copyBytes, copy.bytes());
        boolean counts = member && copy.held() && copy.filled() && copy.continuous() && !unreadable.contains(nid);
        if (counts && continuousSinceNanos == null) {
            continuousSinceNanos = nowNanos;
        }
    }

    /** Returns about how many bytes there are to read; 0 while no member has told, as after a change of the leader. */
    long copyBytes() {
        return copyBytes;
    }

    /** What storage peers have answered about their copies, by NID. */
    Map<Integer, SealedCopies.Copy> answers() {
        return answers;
    }

    Set<Integer> unreadable() {
        return unreadable;
    }

    /** Whether one member has everything, and the others have had {@link #GRACE_NANOS} to answer. */
    boolean isGraceOver(long nowNanos) {
        return continuousSinceNanos != null && nowNanos - continuousSinceNanos >= GRACE_NANOS;
    }

    /** A person gives up the members that are gone: the recovery need not wait for them. */
    void acceptLoss() {
        acceptLoss = true;
    }

    /**
     * Whether the recovery need not wait for members without a lease: a person has said so, and these have had {@link
     * #GIVE_UP_NANOS} to answer.
     */
    boolean mayGiveUpMembers(long nowNanos) {
        return acceptLoss && nowNanos - sinceNanos >= GIVE_UP_NANOS;
    }

    /** Notes the members without whose answers no decision is possible. */
    void waitFor(List<Integer> members) {
        waitingFor = members;
    }

    List<Integer> waitingFor() {
        return waitingFor;
    }

    /** Notes that the copies from which the zone is recovered are decided. */
    void decided(boolean withDamage) {
        waitingFor = List.of();
        acceptDamage = withDamage;
    }

    /** Whether the recovery candidate is to recover what can be read, as no copy can be read as a whole. */
    boolean acceptsDamage() {
        return acceptDamage;
    }

    // The recovery candidate.

    /** Notes a storage peer that refused the zone: another one is to recover it. */
    void refuse(int nid, long nowNanos) {
        refused.add(nid);
        refusedNanos = nowNanos;
    }

    Set<Integer> refused() {
        return refused;
    }

    /**
     * Notes that no storage peer has room for the zone now. Those that refused are asked again after {@link
     * #REFUSED_AGAIN_NANOS}.
     *
     * @param lack how much is missing, for people
     */
    void nobodyHasRoom(String lack, long nowNanos) {
        nobodyCan("no storage peer has room for it (" + answer + "): " + lack, nowNanos);
    }

    /** Notes that no storage peer can recover the zone now, for another reason. */
    void nobodyCan(String why, long nowNanos) {
        note = why;
        if (nowNanos - refusedNanos >= REFUSED_AGAIN_NANOS) {
            refused.clear();
        }
    }

    /** Whether it is time to send the candidate the order, or to ask how far it is. */
    boolean isOrderDue(long nowNanos) {
        return candidate == Candidate.NOT_TOLD || nowNanos - toldNanos >= RUN_AGAIN_NANOS;
    }

    /**
     * The place in the order in which attempts are sent: the time of the last order, or the least number when there was
     * none. The lowest goes first.
     */
    long turn() {
        return candidate == Candidate.NOT_TOLD ? Long.MIN_VALUE : toldNanos;
    }

    void told(long nowNanos) {
        toldNanos = nowNanos;
        if (candidate == Candidate.NOT_TOLD) {
            candidate = Candidate.TOLD;
        }
    }

    /** Whether the candidate has answered the order. */
    boolean isAccepted() {
        return candidate == Candidate.ACCEPTED;
    }

    /** Notes how far the candidate says that it is. */
    void heard(RunRecoveryReply.Progress told, long nowNanos) {
        candidate = Candidate.ACCEPTED;
        heardNanos = nowNanos;
        if (chunks != told.chunks() || bytes != told.bytes()) {
            movedNanos = nowNanos;
        }
        chunks = told.chunks();
        bytes = told.bytes();
        tell(told.note());
    }

    /** Notes that the candidate cannot read its own copy. It may still be the one that recovers what can be read. */
    void cannotRead(int nid, String why) {
        unreadable.add(nid);
        tell("storage peer " + Nid.toHex(nid) + ": " + why);
    }

    boolean isSilent(long nowNanos) {
        return nowNanos - heardNanos > SILENCE_NANOS;
    }

    boolean isStalled(long nowNanos) {
        return chunks > 0 && nowNanos - movedNanos > STALL_NANOS;
    }

    /** Notes why the candidate is given up. */
    void giveUp(ZoneMember gone, String why) {
        tell("storage peer " + Nid.toHex(gone.nid()) + why);
    }

    private void tell(String what) {
        answer = what;
        note = what;
    }

    long chunks() {
        return chunks;
    }

    long bytes() {
        return bytes;
    }

    /** What went wrong last, for people. */
    String note() {
        return note;
    }
}
