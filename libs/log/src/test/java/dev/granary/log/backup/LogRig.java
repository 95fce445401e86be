package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.RecordView;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The parts of a backup log, put together as {@link BackupLog} does, in the test's own thread. */
final class LogRig implements AutoCloseable {

    final SimulatedDisk simulated = new SimulatedDisk(new SplittableRandom(1));
    final BackupLogOptions options = BackupLogOptions.small();
    final SpareArrays spares = new SpareArrays(4);
    final Disk disk;
    final ZoneTable table;
    final SegmentStore store;

    LogRig() throws IOException {
        disk = simulated.mount();
        table = ZoneTable.open(disk);
        PrimaryLog.create(disk, table, 0);
        store = new SegmentStore(disk, options, table);
    }

    /** A new zone that is whole. */
    ZoneLog zone(int zone) throws IOException {
        ZoneState state = new ZoneState(header(zone, 1), table.nextGeneration(), 0, 0, List.of());
        table.put(state);
        table.sync();
        return new ZoneLog(state, 0, true, spares);
    }

    /** A new zone that is being filled, with a base of sequence 10. */
    ZoneLog fillingZone(int zone) throws IOException {
        ZoneState state =
                new ZoneState(Logs.filling(zone, 1, 10), table.nextGeneration(), 0, ZoneState.NOT_WHOLE, List.of());
        table.put(state);
        table.sync();
        return new ZoneLog(state, 10, true, spares);
    }

    /** Appends a batch of the base, with one chunk. */
    static void base(ZoneLog zone, long lid, String content) {
        byte[] bytes = bytes(Logs.put(zone.state().zone(), 1, 10, Logs.NID | lid, content));
        RecordView view = new RecordView();
        assertThat(view.isIntactAt(bytes, 0, bytes.length)).isTrue();
        assertThat(zone.appendBase(bytes, view)).isEqualTo(AppendResult.APPENDED);
    }

    private static byte[] bytes(ByteBuffer batch) {
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        return bytes;
    }

    static int append(ZoneLog zone, ByteBuffer batch) {
        byte[] bytes = bytes(batch);
        RecordView view = new RecordView();
        assertThat(view.isIntactAt(bytes, 0, bytes.length)).isTrue();
        assertThat(zone.append(bytes, view)).isEqualTo(AppendResult.APPENDED);
        return bytes.length;
    }

    /** Appends the next batch, with one chunk. */
    static int put(ZoneLog zone, long lid, String content) {
        return append(zone, Logs.put(zone.state().zone(), 1, zone.lastSequence() + 1, Logs.NID | lid, content));
    }

    static int delete(ZoneLog zone, long lid) {
        return append(zone, Logs.delete(zone.state().zone(), 1, zone.lastSequence() + 1, Logs.NID | lid));
    }

    /** The entries of a segment's file: type, LID and sequence, and the content of chunks. */
    List<String> entries(ZoneLog zone, Segment segment) throws IOException {
        List<String> entries = new ArrayList<>();
        SegmentWalk walk = new SegmentWalk(zone, segment, disk.read(segment.file()));
        walk.run((block, entry) -> entries.add(text(entry)));
        assertThat(walk.isBroken()).isFalse();
        return entries;
    }

    private static String text(EntryCursor entry) {
        long lid = entry.cid() & 0xffff;
        return switch (entry.type()) {
            case BatchFormat.TYPE_CHUNK -> {
                MemorySegment content = entry.segment();
                yield lid + "@" + entry.sequence() + "=" + Logs.text(content, entry.contentAt(), entry.length());
            }
            case BatchFormat.TYPE_TOMBSTONE -> lid + "@" + entry.sequence() + " deleted";
            case BatchFormat.TYPE_REQUEST -> "request " + entry.clientId() + "/" + entry.requestSequence();
            default -> "token " + lid + "=" + entry.token();
        };
    }

    @Override
    public void close() throws IOException {
        store.close();
        table.close();
    }
}
