package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.DiskFullException;
import dev.granary.log.backup.Logs.ManualClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteBackTest {

    private static final long FLUSH_NANOS = 10_000_000;
    private static final long PROBE_NANOS = 100_000_000;

    private final LogRig rig;
    private final ManualClock clock = new ManualClock();
    private final List<ZoneLog> zones = new ArrayList<>();
    private final ZoneLog zone;
    private final ZoneLog other;
    private final WriteBack writeBack;

    WriteBackTest() throws IOException {
        rig = new LogRig();
        for (int i = 0; i < 20; i++) {
            zones.add(rig.zone(ZONE + i));
        }
        zone = zones.get(0);
        other = zones.get(1);
        writeBack = new WriteBack(rig.disk, rig.options, clock, rig.table, rig.store, zones);
        writeBack.begin();
    }

    @AfterEach
    void close() throws IOException {
        writeBack.close();
        rig.close();
    }

    @Test
    void flush_fewBytes_goIntoThePrimaryLogAndStayPending() throws IOException {
        int bytes = put(zone, 100) + put(other, 50);
        assertThat(writeBack.unflushedBytes()).isEqualTo(bytes);
        assertThat(writeBack.isWaiting()).isTrue();
        writeBack.flush();
        assertThat(writeBack.unflushedBytes()).isZero();
        assertThat(writeBack.isWaiting()).isFalse();
        assertThat(writeBack.primaryWrittenBytes()).isGreaterThan(bytes);
        assertThat(rig.store.writtenBytes()).isZero();
        assertThat(zone.pendingBytes()).isPositive();
        assertThat(zone.unflushedBytes()).isZero();
        writeBack.sync();
        assertThat(zone.durableSequence()).isEqualTo(1);
    }

    @Test
    void flush_manyBytesOfAZone_goIntoItsSegments() throws IOException {
        put(zone, rig.options.directBytes());
        put(other, 50);
        writeBack.flush();
        assertThat(zone.pendingBytes()).isZero();
        assertThat(zone.segments()).hasSize(1);
        assertThat(other.segments()).isEmpty();
        assertThat(writeBack.unflushedBytes()).isZero();
        assertThat(zone.durableSequence()).isZero();
        writeBack.sync();
        assertThat(zone.durableSequence()).isEqualTo(1);
        assertThat(other.durableSequence()).isEqualTo(1);
    }

    @Test
    void flush_zoneIsNotFilled_goesIntoItsSegments() throws IOException {
        ZoneState state = new ZoneState(Logs.filling(ZONE + 50, 1, 0), 99, 0, ZoneState.NOT_WHOLE, List.of());
        ZoneLog filling = new ZoneLog(state, 0, false, rig.spares);
        put(filling, 10);
        writeBack.flush();
        assertThat(filling.pendingBytes()).isZero();
        assertThat(filling.segments()).hasSize(1);
    }

    @Test
    void flush_primaryLogIsLong_sortsItIntoSegments() throws IOException {
        for (ZoneLog each : zones.subList(0, 15)) {
            put(each, 800);
        }
        writeBack.flush();
        assertThat(zones).allMatch(each -> each.segments().isEmpty());
        for (ZoneLog each : zones.subList(10, 20)) {
            put(each, 800);
        }
        writeBack.flush();
        assertThat(zones).allMatch(each -> each.pendingBytes() == 0);
        assertThat(rig.entries(zones.get(12), zones.get(12).segments().getFirst()))
                .hasSize(2);
        assertThat(rig.table.primary()).isEqualTo(1);
        assertThat(rig.disk.sizeBytes(PrimaryLog.name(1))).isEqualTo(LogFileHeader.LENGTH);
        assertThat(rig.disk.exists(PrimaryLog.name(0))).isFalse();
    }

    @Test
    void begin_batchesOfAnEarlierProcess_areSortedIntoSegments() throws IOException {
        put(zone, 100);
        writeBack.flush();
        writeBack.sync();
        writeBack.close();
        ZoneLog found = new LogOpening(rig.disk, rig.table, rig.store, rig.spares)
                .openAll()
                .getFirst();
        assertThat(found.pendingBytes()).isPositive();
        WriteBack next = new WriteBack(rig.disk, rig.options, clock, rig.table, rig.store, List.of(found));
        next.begin();
        assertThat(found.pendingBytes()).isZero();
        assertThat(next.unflushedBytes()).isZero();
        assertThat(rig.entries(found, found.segments().getFirst())).hasSize(1);
        next.close();
    }

    @Test
    void isDue_batchesWait_onceTheirTimeHasCome() throws IOException {
        clock.nanos = FLUSH_NANOS;
        assertThat(writeBack.isDue()).isFalse();
        put(zone, 10);
        assertThat(writeBack.isDue()).isTrue();
        writeBack.flush();
        put(zone, 10);
        assertThat(writeBack.isDue()).isFalse();
        clock.nanos += FLUSH_NANOS - 1;
        assertThat(writeBack.isDue()).isFalse();
        clock.nanos++;
        assertThat(writeBack.isDue()).isTrue();
    }

    @Test
    void appended_manyBytes_areWrittenAtOnceAndRefusedWhenTooMany() {
        int bytes = put(zone, 1000);
        boolean atOnce = false;
        long sum = bytes;
        while (!atOnce) {
            bytes = LogRig.put(zone, 1, "x".repeat(1000));
            sum += bytes;
            atOnce = writeBack.appended(zone, bytes);
        }
        assertThat(sum).isBetween(rig.options.flushBytes(), rig.options.flushBytes() + 1100);
        assertThat(writeBack.isOverfull()).isFalse();
        while (!writeBack.isOverfull()) {
            sum += put(zone, 1000);
        }
        assertThat(sum).isBetween(rig.options.bufferBytes(), rig.options.bufferBytes() + 1100);
        writeBack.forget((int) (sum - rig.options.bufferBytes()));
        assertThat(writeBack.isOverfull()).isFalse();
    }

    @Test
    void flush_diskIsFull_keepsAllAndWritesItLater() throws IOException {
        int bytes = put(zone, 100) + put(other, rig.options.directBytes());
        rig.simulated.setCapacity(rig.simulated.usedBytes() + 20);
        assertThatThrownBy(writeBack::flush).isInstanceOf(DiskFullException.class);
        assertThat(writeBack.unflushedBytes()).isEqualTo(bytes);
        assertThat(writeBack.isWaiting()).isTrue();
        assertThatThrownBy(writeBack::requireNothingUnflushed).isInstanceOf(DiskFullException.class);

        writeBack.becomeFull();
        assertThat(writeBack.isFull()).isTrue();
        assertThat(rig.disk.exists("reserve")).isFalse();
        clock.nanos += PROBE_NANOS - 1;
        assertThat(writeBack.isDue()).isFalse();
        clock.nanos++;
        assertThat(writeBack.isDue()).isTrue();

        rig.simulated.setCapacity(Long.MAX_VALUE);
        writeBack.flush();
        writeBack.leaveFull();
        assertThat(writeBack.isFull()).isFalse();
        assertThat(rig.disk.exists("reserve")).isTrue();
        assertThat(writeBack.unflushedBytes()).isZero();
        assertThatCode(writeBack::requireNothingUnflushed).doesNotThrowAnyException();
        writeBack.sync();
        assertThat(zone.durableSequence() + other.durableSequence()).isEqualTo(2);
    }

    @Test
    void leaveFull_noRoomForTheReserve_staysFull() throws IOException {
        writeBack.becomeFull();
        rig.simulated.setCapacity(rig.simulated.usedBytes() + 20);
        assertThatThrownBy(writeBack::leaveFull).isInstanceOf(DiskFullException.class);
        assertThat(writeBack.isFull()).isTrue();
        clock.nanos += PROBE_NANOS - 1;
        assertThat(writeBack.isDue()).isFalse();
    }

    @Test
    void flush_zoneWasDropped_isLeftOut() throws IOException {
        put(zone, 100);
        writeBack.forget(zone.drop());
        writeBack.flush();
        assertThat(writeBack.unflushedBytes()).isZero();
        assertThat(writeBack.primaryWrittenBytes()).isZero();
    }

    private int put(ZoneLog log, int size) {
        int bytes = LogRig.put(log, 1, "x".repeat(size));
        writeBack.appended(log, bytes);
        return bytes;
    }
}
