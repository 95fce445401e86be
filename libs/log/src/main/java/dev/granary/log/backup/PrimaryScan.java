package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.RecordView;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads the primary log after a restart. Batches that the segments of the zones do not have become pending again. A
 * torn tail is cut off. A zone takes no batch behind one of its own batches that is gone and was perhaps never durable.
 */
final class PrimaryScan {

    private final Disk disk;
    private final Map<Integer, ZoneLog> zones;
    private final String file;
    private final byte[] bytes;
    private final Set<ZoneLog> ended = new HashSet<>();
    private long syncedBytes;
    private int tornAt = Integer.MAX_VALUE;
    private int tornBlockAt = Integer.MAX_VALUE;
    private boolean damaged;

    PrimaryScan(Disk disk, Map<Integer, ZoneLog> zones, String file) throws IOException {
        this.disk = disk;
        this.zones = zones;
        this.file = file;
        bytes = disk.read(file);
    }

    void run() throws IOException {
        if (LogFileHeader.decode(bytes) == null) {
            zones.values().forEach(zone -> addDamage(zone, 0, "the header of the primary log is broken"));
        }
        FileWalk marks = new FileWalk(bytes, bytes.length, FileWalk.NOTHING);
        marks.run(LogFileHeader.LENGTH);
        syncedBytes = marks.syncedBytes();
        new FileWalk(bytes, bytes.length, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        if (record.begin() < tornAt) {
                            restore(block, record);
                        }
                    }

                    @Override
                    public void broken(BlockHeader block, int from, int to) {
                        if (from < syncedBytes) {
                            damaged = true;
                        } else if (from < tornAt) {
                            tornAt = from;
                            boolean inBlock = from > block.offset
                                    && from < (long) block.offset + BlockHeader.LENGTH + block.payloadBytes;
                            tornBlockAt = inBlock ? block.offset : from;
                        }
                    }
                })
                .run(LogFileHeader.LENGTH);
        if (tornAt != Integer.MAX_VALUE) {
            LogProbe.PRIMARY_TAIL_CUT.hit();
            try (Disk.AppendFile append = disk.openForAppend(file)) {
                append.truncate(tornBlockAt);
            }
        }
        zones.values().forEach(zone -> zone.missing()
                .forEach((first, last) -> zone.addDamage(
                        new Damage(zone.state().zone(), file, 0, first, last, "batches between others are missing"))));
        if (damaged) {
            // Nobody knows whose blocks were there. A zone with later batches here would show the gap.
            zones.values().forEach(zone -> addDamage(zone, 0, "a part of the primary log is broken"));
        }
    }

    private void restore(BlockHeader block, RecordView record) {
        ZoneLog zone = zones.get(block.zone);
        if (zone == null || zone.state().generation() != block.generation || ended.contains(zone)) {
            return;
        }
        ZoneState state = zone.state();
        long sequence = record.sequence();
        if (sequence > state.limit(block.cut)) {
            return;
        }
        long last = zone.lastSequence();
        if (zone.missing().remove(sequence)) {
            zone.restore(bytes, record);
        } else if (sequence == last + 1) {
            LogProbe.PRIMARY_RESTORED.hit();
            zone.restore(bytes, record);
        } else if (sequence > last + 1) {
            if (block.durableSequence >= sequence - 1) {
                zone.missing().add(last + 1, sequence - 1);
                zone.restore(bytes, record);
            } else {
                ended.add(zone);
            }
        }
    }

    private void addDamage(ZoneLog zone, long offset, String what) {
        zone.addDamage(new Damage(zone.state().zone(), file, offset, zone.lastSequence() + 1, Long.MAX_VALUE, what));
    }
}
