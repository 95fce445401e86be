package dev.granary.log.backup;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What the zone table knows of a zone's log. Immutable.
 *
 * @param header who has the zone; {@code filling} as it was when the copy began
 * @param generation of the log: a copy that is filled again gets the next one, and what lies on the disk from an older
 *     generation is dead
 * @param sealedEpoch lower epochs are refused
 * @param wholeFrom the copy is what the zone was after each sequence from this one on; {@link #NOT_WHOLE} as long as it
 *     is being filled. The base is read while the zone changes, and may have changes up to this sequence (ADR 0253)
 * @param cuts the last sequence that each cut left, in the order of the cuts
 */
record ZoneState(ZoneHeader header, int generation, long sealedEpoch, long wholeFrom, List<Long> cuts) {

    static final long NOT_WHOLE = -1;

    ZoneState {
        cuts = List.copyOf(cuts);
    }

    int zone() {
        return header.zone();
    }

    /** Returns whether the copy is whole. */
    boolean filled() {
        return wholeFrom != NOT_WHOLE;
    }

    /** Returns the least sequence at which the copy, cut there, is what the zone was. */
    long leastCut() {
        return filled() ? wholeFrom : header.baseSequence();
    }

    /** Returns the lowest epoch that the log still takes. */
    long fence() {
        return Math.max(header.epoch(), sealedEpoch);
    }

    /** Returns whether a recovery has sealed the copy, and nobody has opened it since. */
    boolean isSealed() {
        return sealedEpoch > header.epoch();
    }

    /** Returns the number of the present cut, which blocks that are written now carry. */
    int cut() {
        return cuts.size();
    }

    /** Returns the sequence above which entries are dead that were written under a cut's number. */
    long limit(int writtenUnderCut) {
        long limit = Long.MAX_VALUE;
        for (int i = writtenUnderCut; i < cuts.size(); i++) {
            limit = Math.min(limit, cuts.get(i));
        }
        return limit;
    }

    ZoneState withHeader(ZoneHeader next) {
        return new ZoneState(next, generation, sealedEpoch, wholeFrom, cuts);
    }

    ZoneState withSeal(long epoch) {
        return new ZoneState(header, generation, Math.max(sealedEpoch, epoch), wholeFrom, cuts);
    }

    ZoneState withFilled(long from) {
        return new ZoneState(header, generation, sealedEpoch, Math.max(header.baseSequence(), from), cuts);
    }

    ZoneState withCut(long lastSequence) {
        List<Long> more = new ArrayList<>(cuts);
        more.add(lastSequence);
        return new ZoneState(header, generation, sealedEpoch, wholeFrom, more);
    }

    int encodedBytes() {
        return 4 + 4 + 16 + 4 + 8 + 8 + 8 + 8 + 3 + 2 * ZoneHeader.MAX_MEMBERS + 4 + 8 * cuts.size();
    }

    void encode(ByteBuffer out) {
        out.putInt(header.zone()).putInt(generation);
        out.putLong(header.clusterId().getMostSignificantBits());
        out.putLong(header.clusterId().getLeastSignificantBits());
        out.putInt(header.owner());
        out.putLong(header.epoch()).putLong(header.baseSequence()).putLong(sealedEpoch);
        out.putLong(wholeFrom).put((byte) (header.filling() ? 1 : 0));
        out.putShort((short) header.members().size());
        for (int i = 0; i < ZoneHeader.MAX_MEMBERS; i++) {
            out.putShort(i < header.members().size() ? header.members().get(i).shortValue() : 0);
        }
        out.putInt(cuts.size());
        cuts.forEach(out::putLong);
    }

    static ZoneState decode(ByteBuffer in) {
        int zone = in.getInt();
        int generation = in.getInt();
        UUID clusterId = new UUID(in.getLong(), in.getLong());
        int owner = in.getInt();
        long epoch = in.getLong();
        long baseSequence = in.getLong();
        long sealedEpoch = in.getLong();
        long wholeFrom = in.getLong();
        boolean filling = in.get() != 0;
        int count = in.getShort();
        List<Integer> members = new ArrayList<>();
        for (int i = 0; i < ZoneHeader.MAX_MEMBERS; i++) {
            int nid = in.getShort() & 0xFFFF;
            if (i < count) {
                members.add(nid);
            }
        }
        List<Long> cuts = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            cuts.add(in.getLong());
        }
        ZoneHeader header = new ZoneHeader(clusterId, zone, owner, epoch, members, baseSequence, filling);
        return new ZoneState(header, generation, sealedEpoch, wholeFrom, cuts);
    }
}
