package dev.granary.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
    private final Disk mounted = disk.mount();

    @Test
    void losePower_unsyncedBytes_areLostOrTornButSyncedOnesStay() throws IOException {
        int whole = 0;
        int torn = 0;
        int none = 0;
        int damaged = 0;
        for (int round = 0; round < 200; round++) {
            SimulatedDisk fresh = new SimulatedDisk(new SplittableRandom(round));
            Disk first = fresh.mount();
            Disk.AppendFile file = first.openForAppend("log");
            append(file, "synced");
            file.sync();
            append(file, "-unsynced");
            fresh.losePower();
            assertThatThrownBy(file::sync).hasMessageContaining("dead");
            String after = new String(fresh.mount().read("log"), UTF_8);
            assertThat(after).startsWith("synced");
            switch (after.length()) {
                case 6 -> none++;
                case 15 -> whole++;
                default -> torn++;
            }
            damaged += "synced-unsynced".startsWith(after) ? 0 : 1;
        }
        assertThat(none).isPositive();
        assertThat(torn).isPositive();
        assertThat(whole).isPositive();
        assertThat(damaged).isPositive();
    }

    @Test
    void losePower_fileThatWasNeverSynced_mayBeGone() throws IOException {
        int gone = 0;
        for (int round = 0; round < 50; round++) {
            SimulatedDisk fresh = new SimulatedDisk(new SplittableRandom(round));
            append(fresh.mount().openForAppend("log"), "x");
            fresh.losePower();
            gone += fresh.mount().exists("log") ? 0 : 1;
        }
        assertThat(gone).isBetween(1, 49);
    }

    @Test
    void writeAtomically_thenPowerLoss_staysWhole() throws IOException {
        mounted.writeAtomically("identity", "one".getBytes(UTF_8));
        mounted.writeAtomically("identity", "two".getBytes(UTF_8));
        disk.losePower();
        assertThat(disk.mount().read("identity")).isEqualTo("two".getBytes(UTF_8));
    }

    @Test
    void sync_failing_failsForTheFileForEver() throws IOException {
        Disk.AppendFile file = mounted.openForAppend("log");
        disk.failSyncAfter(1);
        append(file, "a");
        file.sync();
        append(file, "b");
        assertThatThrownBy(file::sync).isInstanceOf(IOException.class).hasMessageContaining("log");
        assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
        mounted.openForAppend("other").sync();
    }

    @Test
    void append_diskFull_isRefusedAndMayLeaveAPart() throws IOException {
        Disk.AppendFile file = mounted.openForAppend("log");
        disk.setCapacity(10);
        append(file, "12345678");
        assertThatThrownBy(() -> append(file, "12345678")).hasMessageContaining("no space");
        assertThat(file.sizeBytes()).isBetween(8L, 10L);
        assertThatThrownBy(() -> mounted.writeAtomically("other", new byte[20])).hasMessageContaining("no space");
        assertThat(mounted.list()).containsExactly("log");
    }

    @Test
    void flipBit_ofAFile_changesWhatIsRead() throws IOException {
        mounted.writeAtomically("f", new byte[] {0, 0, 0});
        disk.flipBit("f", 1, 3);
        assertThat(mounted.read("f")).containsExactly(0, 8, 0);
    }

    @Test
    void read_failing_failsInPartUntilTheDiskIsGoodAgain() throws IOException {
        mounted.writeAtomically("f", new byte[] {1});
        disk.failReads(0.5);
        int failed = 0;
        for (int i = 0; i < 100; i++) {
            try {
                mounted.read("f");
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("could not read f");
                failed++;
            }
        }
        assertThat(failed).isBetween(20, 80).isEqualTo(disk.failedReads());
        disk.disarm();
        assertThat(mounted.read("f")).containsExactly(1);
    }

    @Test
    void truncateDeleteReplace_workLikeADisk() throws IOException {
        Disk.AppendFile file = mounted.openForAppend("b");
        append(file, "12345");
        file.truncate(2);
        file.close();
        mounted.writeAtomically("a", new byte[1]);
        assertThat(mounted.list()).containsExactly("a", "b");
        assertThat(mounted.read("b")).isEqualTo("12".getBytes(UTF_8));
        mounted.delete("b");
        assertThat(mounted.exists("b")).isFalse();
        assertThatThrownBy(() -> mounted.read("b")).isInstanceOf(IOException.class);
        disk.replace();
        assertThat(mounted.list()).isEmpty();
    }

    private static void append(Disk.AppendFile file, String text) throws IOException {
        file.append(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }
}
