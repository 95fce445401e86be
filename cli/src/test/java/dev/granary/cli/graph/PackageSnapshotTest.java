package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PackageSnapshotTest {

    @Test
    void read_allColumnsAndMissingOnes_areTakenAsTheyAre() {
        PackageSnapshot snapshot = Snapshots.of(
                "a ; 1:2-3 ; games ; optional ; 42 ; p ; d | e, f ; r ; s ; c ; b (<< 2) ; v (= 1)", "b ; 1");

        assertThat(snapshot.releases()).containsExactly("Debian test");
        assertThat(snapshot.packages())
                .containsExactly(
                        new PackageRecord(
                                "a",
                                "1:2-3",
                                "games",
                                "optional",
                                42,
                                "p",
                                "d | e, f",
                                "r",
                                "s",
                                "c",
                                "b (<< 2)",
                                "v (= 1)"),
                        new PackageRecord("b", "1", "", "", 0, "", "", "", "", "", "", ""));
    }

    @Test
    void read_notOurFormat_saysWhatItFound() {
        assertThatThrownBy(() -> Snapshots.ofText("# granary debian-packages 2\n"))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("debian-packages 2");
        assertThatThrownBy(() -> Snapshots.ofText(Snapshots.HEADER.formatted(0) + "# columns: Package\n"))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("# columns: Package");
        assertThatThrownBy(() -> Snapshots.of("a"))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("12 columns");
    }

    @Test
    void read_fewerPackagesThanAnnounced_isRefused() {
        assertThatThrownBy(() -> Snapshots.ofText(Snapshots.HEADER.formatted(2) + "a\t1\n"))
                .isInstanceOf(SnapshotException.class)
                .hasMessage("the snapshot announces 2 packages and has 1");
    }

    @Test
    void read_cutOff_isAnError() {
        byte[] whole = Snapshots.gzip(Snapshots.HEADER.formatted(1) + "a\t1\n");
        byte[] cut = Arrays.copyOf(whole, whole.length - 9);
        assertThatThrownBy(() -> PackageSnapshot.read(new ByteArrayInputStream(cut)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void readResource_theSnapshotWeCarry_isADebianRelease() {
        PackageSnapshot snapshot = Snapshots.debian().snapshot();
        assertThat(snapshot.releases()).isNotEmpty().allSatisfy(release -> assertThat(release)
                .startsWith("Debian "));
        assertThat(snapshot.packages()).hasSizeGreaterThan(60_000);
        List<String> names =
                snapshot.packages().stream().map(PackageRecord::name).toList();
        assertThat(names).isSorted().doesNotHaveDuplicates().contains("libc6", "gnome", "bash");
    }
}
