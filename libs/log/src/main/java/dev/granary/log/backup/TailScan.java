package dev.granary.log.backup;

import dev.granary.env.Disk;
import java.io.IOException;

/**
 * Reads the last segment of a zone after a restart and tells a torn end from damage: what was durable when something
 * behind it was written, and cannot be read, is damage; what is behind the first byte that was perhaps never durable and
 * cannot be read is cut off, and the batches before it, in the same block, are pending again.
 */
final class TailScan {

    private final Disk disk;
    private final ZoneLog zone;
    private final Segment segment;
    private final ZoneState state;
    private final byte[] bytes;
    private long syncedBytes;
    private int tornAt = Integer.MAX_VALUE;
    private long lastSequence;

    TailScan(Disk disk, ZoneLog zone, Segment segment) throws IOException {
        this.disk = disk;
        this.zone = zone;
        this.segment = segment;
        state = zone.state();
        bytes = disk.read(segment.file());
        lastSequence = zone.lastSequence();
    }

    void run() throws IOException {
        FileWalk marks = new FileWalk(bytes, bytes.length, new FileWalk.Visitor() {
            @Override
            public void record(BlockHeader block, RecordView record) {}

            @Override
            public void broken(int from, int to) {}
        });
        marks.run(LogFileHeader.LENGTH);
        syncedBytes = marks.syncedBytes();
        new FileWalk(bytes, bytes.length, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        if (record.begin() < tornAt) {
                            check(block, record);
                        }
                    }

                    @Override
                    public void broken(int from, int to) {
                        if (from < tornAt) {
                            checkBroken(from, to);
                        }
                    }
                })
                .run(LogFileHeader.LENGTH);
        zone.restoreLast(lastSequence);
        if (tornAt != Integer.MAX_VALUE) {
            cutTorn();
        }
    }

    private void check(BlockHeader block, RecordView record) {
        long sequence = record.sequence();
        if (sequence > state.limit(block.cut) || sequence <= lastSequence) {
            return;
        }
        if (sequence > lastSequence + 1) {
            if (block.durableSequence < sequence - 1) {
                tornAt = record.begin();
                return;
            }
            zone.addDamage(new Damage(
                    state.zone(),
                    segment.file(),
                    record.begin(),
                    lastSequence + 1,
                    sequence - 1,
                    "batches before this one are missing"));
        }
        lastSequence = sequence;
    }

    private void checkBroken(int from, int to) {
        if (from >= syncedBytes) {
            tornAt = from;
        } else {
            zone.addDamage(new Damage(
                    state.zone(),
                    segment.file(),
                    from,
                    0,
                    Long.MAX_VALUE,
                    (to - from) + " bytes do not have the right checksum"));
        }
    }

    /** Cuts the file at the beginning of the block that has the torn place, and keeps what is intact before it. */
    private void cutTorn() throws IOException {
        int[] blockAt = {Math.min(tornAt, bytes.length)};
        new FileWalk(bytes, bytes.length, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        long blockEnd = (long) block.offset + BlockHeader.LENGTH + block.payloadBytes;
                        if (block.offset <= tornAt && tornAt < blockEnd) {
                            blockAt[0] = block.offset;
                            boolean kept = record.begin() < tornAt && record.sequence() <= state.limit(block.cut);
                            if (kept) {
                                zone.restore(bytes, record);
                            }
                        }
                    }

                    @Override
                    public void broken(int from, int to) {}
                })
                .run(LogFileHeader.LENGTH);
        try (Disk.AppendFile file = disk.openForAppend(segment.file())) {
            file.truncate(blockAt[0]);
        }
        segment.shrinkTo(blockAt[0]);
    }
}
