package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static dev.granary.log.backup.Logs.header;
import static dev.granary.log.backup.Logs.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.batch.RecordView;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The primary log and the zone table agree on which file it is. */
class PrimaryLogTest {

    /** With this many log segments the next sync of the zone table rewrites the whole table. */
    private static final int SEGMENTS = 60_000;

    @Test
    void restart_tableHasNoRoomToBeWrittenAnew_whatFollowsIsWhereTheTableSays() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(3));
        Disk mounted = disk.mount();
        ZoneState state = new ZoneState(header(ZONE, 1), 1, 0, 0, List.of());
        ZoneLog zone = new ZoneLog(state, 0, true, new SpareArrays(4));
        try (ZoneTable table = ZoneTable.open(mounted)) {
            PrimaryLog.create(mounted, table, 0);
            table.put(state);
            for (int ordinal = 0; ordinal < SEGMENTS; ordinal++) {
                table.added(ZONE, ordinal);
            }
            try (PrimaryLog primary = new PrimaryLog(mounted, table)) {
                disk.setCapacity(disk.usedBytes() + 1_000);
                assertThatThrownBy(primary::restart).isInstanceOf(DiskFullException.class);
                disk.setCapacity(Long.MAX_VALUE);
                primary.add(zone, unflushed(zone));
                primary.write();
                primary.sync();
                table.sync();
            }
        }
        try (ZoneTable found = ZoneTable.open(disk.mount())) {
            assertThat(disk.content(PrimaryLog.name(found.primary())).length).isGreaterThan(LogFileHeader.LENGTH);
        }
    }

    private static ZoneLog.Unflushed unflushed(ZoneLog zone) {
        ByteBuffer batch = put(ZONE, 1, 1, NID | 1, "something");
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        RecordView view = new RecordView();
        assertThat(view.isIntactAt(bytes, 0, bytes.length)).isTrue();
        assertThat(zone.append(bytes, view).isHeld()).isTrue();
        return zone.unflushed();
    }
}
