package dev.granary.log.backup;

import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.RecordView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Walks over the entries of a segment that count, which are those below the cut of their block. */
final class SegmentWalk {

    /** Takes entries. */
    interface Action {

        /** Takes an entry that counts. */
        void entry(BlockHeader block, EntryCursor entry) throws IOException;

        /** Told of each record before its entries. */
        default void record(RecordView record) {}

        /** Told of each entry that does not count, because it was cut. */
        default void cut() {}
    }

    private final ZoneLog zone;
    private final Segment segment;
    private final byte[] bytes;
    private final int size;
    private boolean broken;

    /**
     * @param bytes of the segment's file
     */
    SegmentWalk(ZoneLog zone, Segment segment, byte[] bytes) {
        this(zone, segment, bytes, bytes.length);
    }

    /**
     * @param bytes has those of the segment's file at its beginning
     * @param count how many bytes the file has
     */
    SegmentWalk(ZoneLog zone, Segment segment, byte[] bytes, int count) {
        this.zone = zone;
        this.segment = segment;
        this.bytes = bytes;
        size = (int) Math.min(count, segment.sizeBytes());
        broken = count < segment.sizeBytes();
    }

    /** Returns whether a part of the segment cannot be read or is missing; the zone's damage has it then. */
    boolean isBroken() {
        return broken;
    }

    /** Passes all entries to an action, in their order; broken ones are left out. */
    void run(Action action) throws IOException {
        EntryCursor entry = new EntryCursor(bytes);
        ZoneState state = zone.state();
        List<IOException> failures = new ArrayList<>();
        new FileWalk(bytes, size, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        long limit = state.limit(block.cut);
                        entry.reset(record);
                        action.record(record);
                        while (failures.isEmpty() && entry.next()) {
                            if (entry.sequence() > limit) {
                                action.cut();
                                continue;
                            }
                            try {
                                action.entry(block, entry);
                            } catch (IOException e) {
                                failures.add(e);
                            }
                        }
                    }

                    @Override
                    public void broken(BlockHeader block, int from, int to) {
                        broken = true;
                        zone.addDamage(new Damage(
                                state.zone(),
                                segment.file(),
                                from,
                                0,
                                zone.segmentSequence(),
                                (to - from) + " bytes do not have the right checksum"));
                    }
                })
                .run(LogFileHeader.LENGTH);
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }
}
