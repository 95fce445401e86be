package dev.granary.storage.migrate;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.MigrationMessages.Survey;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.MigrationMessages.SurveyReply.Piece;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists what this peer owns, in pieces of a limited number of LIDs; each slot group is one piece. Runs as tasks of the
 * scheduler.
 */
final class Surveyor {

    /** How many LIDs one answer examines, so that other control work does not wait long. */
    private static final int MAX_LIDS = 1 << 17;

    private static final int MAX_PIECES = 1024;

    private static final int PAGE_LIDS = 512;

    private final Peer peer;
    private final Survey survey;
    private final List<Piece> pieces = new ArrayList<>();
    private long budgetLids = MAX_LIDS;

    Surveyor(Peer peer, Survey survey) {
        this.peer = peer;
        this.survey = survey;
    }

    /**
     * Returns the next piece.
     *
     * @throws IllegalArgumentException when the survey makes no sense
     */
    SurveyReply look() {
        if (survey.maxLids() < 1 || Cid.compare(survey.startCid(), survey.endCidInclusive()) > 0) {
            throw new IllegalArgumentException("a survey of " + survey);
        }
        int maxLids = Math.min(survey.maxLids(), MAX_LIDS);
        long cid = survey.startCid();
        while (Cid.compare(cid, survey.endCidInclusive()) <= 0) {
            CidRange span = ownedAtOrAfter(cid);
            if (span == null || Cid.compare(span.startCid(), survey.endCidInclusive()) > 0) {
                return new SurveyReply(0, pieces);
            }
            long end = min(span.endCidInclusive(), survey.endCidInclusive());
            if (SlotGroup.isGroup(Cid.nid(span.startCid()))) {
                if (budgetLids <= 0 || pieces.size() == MAX_PIECES) {
                    return new SurveyReply(span.startCid(), pieces);
                }
                CidRange group = groupFrom(span);
                pieces.add(countGroup(group));
                budgetLids -= Math.min(MAX_LIDS, group.endCidInclusive() - group.startCid() + 1);
                cid = group.endCidInclusive() + 1;
                continue;
            }
            for (long from = span.startCid(); Cid.compare(from, end) <= 0; ) {
                if (budgetLids <= 0 || pieces.size() == MAX_PIECES) {
                    return new SurveyReply(from, pieces);
                }
                long last = end - from >= maxLids ? from + maxLids - 1 : end;
                pieces.add(count(from, last));
                budgetLids -= last - from + 1;
                from = last + 1;
            }
            cid = end + 1;
            if (cid == 0) {
                break;
            }
        }
        return new SurveyReply(0, pieces);
    }

    /** Returns the next span that this peer owns; of its own LIDs those that this incarnation may have given. */
    private @Nullable CidRange ownedAtOrAfter(long fromCid) {
        int nid = peer.nid();
        long firstOwn = Cid.of(nid, peer.ownership().firstLid());
        long endOwn = Cid.of(nid, Math.max(1, peer.memory().lidMark() - 1));
        // Without this a peer that has given no LID would own LID 1, and an order to move it is refused.
        boolean hasGivenLids = peer.memory().lidMark() > peer.ownership().firstLid();
        long cid = fromCid;
        while (true) {
            Optional<CidRange> known = peer.ownership().knownAtOrAfter(cid);
            long gapStart = Cid.compare(cid, firstOwn) < 0 ? firstOwn : cid;
            long gapEnd = known.isEmpty() || Cid.compare(known.get().startCid(), endOwn) > 0
                    ? endOwn
                    : known.get().startCid() - 1;
            if (hasGivenLids && Cid.compare(gapStart, gapEnd) <= 0) {
                return span(gapStart, gapEnd);
            }
            if (known.isEmpty()) {
                return null;
            }
            CidRange range = known.get();
            if (range.placement().owner() == nid) {
                return span(Cid.compare(range.startCid(), cid) < 0 ? cid : range.startCid(), range.endCidInclusive());
            }
            if (range.endCidInclusive() == -1L) {
                return null;
            }
            cid = range.endCidInclusive() + 1;
        }
    }

    private CidRange span(long startCid, long endCidInclusive) {
        return new CidRange(startCid, endCidInclusive, Placement.unreplicated(peer.nid(), 1));
    }

    /** Returns a slot group that begins with this span: LIDs that the group got later are spans of their own. */
    private CidRange groupFrom(CidRange first) {
        CidRange group = first;
        while (true) {
            CidRange next = ownedAtOrAfter(group.endCidInclusive() + 1);
            if (next == null || next.startCid() != group.endCidInclusive() + 1) {
                return group;
            }
            group = span(group.startCid(), next.endCidInclusive());
        }
    }

    /**
     * Counts a slot group, which is one piece however many LIDs it has. Of a group with many LIDs it counts some pages,
     * evenly spread, and concludes from them.
     */
    private Piece countGroup(CidRange group) {
        long lids = group.endCidInclusive() - group.startCid() + 1;
        long pages = (lids + PAGE_LIDS - 1) / PAGE_LIDS;
        long stride = Math.max(1, (lids + MAX_LIDS - 1) / MAX_LIDS);
        long chunks = 0;
        long bytes = 0;
        for (long page = 0; page < pages; page += stride) {
            long from = group.startCid() + page * PAGE_LIDS;
            Piece counted = count(from, min(from + PAGE_LIDS - 1, group.endCidInclusive()));
            chunks += counted.chunks();
            bytes += counted.bytes();
        }
        return new Piece(group.startCid(), group.endCidInclusive(), chunks * stride, bytes * stride);
    }

    private static long min(long left, long right) {
        return Cid.compare(left, right) < 0 ? left : right;
    }

    private Piece count(long startCid, long endCidInclusive) {
        ChunkMemory memory = peer.memory();
        long chunks = 0;
        long bytes = 0;
        for (long cid = startCid; Cid.compare(cid, endCidInclusive) <= 0; cid++) {
            int sizeBytes = memory.sizeOf(cid);
            if (sizeBytes != ChunkMemory.ABSENT) {
                chunks++;
                bytes += sizeBytes;
            }
        }
        return new Piece(startCid, endCidInclusive, chunks, bytes);
    }
}
