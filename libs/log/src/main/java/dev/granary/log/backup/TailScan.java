package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.RecordView;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;

/**
 * Reads the last segment of a zone after a restart and tells a torn tail from damage. Bytes that cannot be read are
 * damage if they were durable when something behind them was written. At the first other byte that cannot be read the
 * file is cut, at the beginning of its block, and the intact batches of this block become pending again.
 */
final class TailScan {

    private final Disk disk;
    private final ZoneLog zone;
    private final Segment segment;
    private final ZoneState state;
    private final byte[] bytes;
    private final int durableBytes;
    private long syncedBytes;
    private int tornAt = Integer.MAX_VALUE;
    private int tornBlockAt;

    /** @param durableBytes how many bytes of the segment were durable at least, whatever its blocks say */
    TailScan(Disk disk, ZoneLog zone, Segment segment, int durableBytes) throws IOException {
        this.disk = disk;
        this.zone = zone;
        this.segment = segment;
        this.durableBytes = durableBytes;
        state = zone.state();
        bytes = disk.read(segment.file());
    }

    void run() throws IOException {
        FileWalk marks = new FileWalk(bytes, bytes.length, FileWalk.NOTHING);
        marks.run(LogFileHeader.LENGTH);
        syncedBytes = Math.max(durableBytes, marks.syncedBytes());
        new FileWalk(bytes, bytes.length, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        if (record.begin() < tornAt) {
                            check(block, record.sequence());
                        }
                    }

                    @Override
                    public void broken(BlockHeader block, int from, int to) {
                        if (from < tornAt) {
                            checkBroken(block, from, to);
                        }
                    }
                })
                .run(LogFileHeader.LENGTH);
        if (tornAt != Integer.MAX_VALUE) {
            cutTorn();
        }
    }

    private void check(BlockHeader block, long sequence) {
        long last = zone.lastSequence();
        if (sequence > state.limit(block.cut) || sequence <= last) {
            return;
        }
        if (sequence > last + 1) {
            zone.missing().add(last + 1, sequence - 1);
        }
        zone.restoreLast(sequence);
    }

    private void checkBroken(BlockHeader block, int from, int to) {
        if (from < syncedBytes) {
            zone.addDamage(new Damage(
                    state.zone(),
                    segment.file(),
                    from,
                    0,
                    Long.MAX_VALUE,
                    (to - from) + " bytes do not have the right checksum"));
            return;
        }
        tornAt = from;
        LogProbe.TAIL_CUT.hit();
        boolean inBlock = from > block.offset && from < (long) block.offset + BlockHeader.LENGTH + block.payloadBytes;
        tornBlockAt = inBlock ? block.offset : from;
    }

    /** Cuts the file, and keeps the intact batches between the cut and the torn place. */
    private void cutTorn() throws IOException {
        new FileWalk(bytes, bytes.length, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        boolean kept = record.begin() >= tornBlockAt
                                && record.begin() < tornAt
                                && record.sequence() <= state.limit(block.cut);
                        if (kept) {
                            zone.restore(bytes, record);
                        }
                    }

                    @Override
                    public void broken(BlockHeader block, int from, int to) {}
                })
                .run(LogFileHeader.LENGTH);
        try (Disk.AppendFile file = disk.openForAppend(segment.file())) {
            file.truncate(tornBlockAt);
        }
        zone.resize(segment, tornBlockAt);
    }
}
