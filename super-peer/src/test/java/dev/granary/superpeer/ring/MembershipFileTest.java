package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import dev.granary.superpeer.ring.MembershipFile.Founding;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MembershipFileTest {

    private static final UUID CLUSTER = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");
    private static final String GOLDEN = """
            granary-super-peer 2
            clusterId=01234567-89ab-4def-8123-456789abcdef
            nid=0x4001
            founding=rebuild
            arcGeneration=7
            """;

    private final Disk disk = new SimulatedDisk(new Random(1)).mount();

    private void write(String name, String content) throws IOException {
        disk.writeAtomically(name, content.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void read_emptyDisk_nothing() throws IOException {
        assertThat(MembershipFile.read(disk)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void read_whatWasWritten_isTheSame(Founding founding) throws IOException {
        MembershipFile written = new MembershipFile(CLUSTER, 0xFFFF, founding, Integer.MAX_VALUE);
        written.write(disk);

        assertThat(MembershipFile.read(disk)).contains(written);
    }

    @Test
    void write_knownValues_goldenText() throws IOException {
        new MembershipFile(CLUSTER, 0x4001, Founding.REBUILD, 7).write(disk);

        assertThat(new String(disk.read("super-peer"), StandardCharsets.UTF_8)).isEqualTo(GOLDEN);
    }

    @Test
    void founded_andANewArc_changeOneValueEach() {
        MembershipFile file = new MembershipFile(CLUSTER, 0x4001, Founding.FOUND, 7);

        assertThat(file.founded()).isEqualTo(new MembershipFile(CLUSTER, 0x4001, Founding.NONE, 7));
        assertThat(file.withArcGeneration(8)).isEqualTo(new MembershipFile(CLUSTER, 0x4001, Founding.FOUND, 8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "granary-super-peer 2|granary-super-peer 3",
                "clusterId=01234567|clusterId=x",
                "nid=0x4001|nid=0x14001",
                "founding=rebuild|founding=perhaps",
                "arcGeneration=7|arcGeneration=",
                "arcGeneration=7|generation=7",
                "arcGeneration=7\n|arcGeneration=7",
                "arcGeneration=7\n|arcGeneration=7\nmore=1\n"
            })
    void read_oneLineIsDamaged_saysWhatItReadsAndWhatToDo(String change) throws IOException {
        String[] fromTo = change.split("\\|", -1);
        String damaged = GOLDEN.replace(fromTo[0], fromTo[1]);
        assertThat(damaged).isNotEqualTo(GOLDEN);
        write("super-peer", damaged);

        assertThatThrownBy(() -> MembershipFile.read(disk))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'super-peer'")
                .hasMessageContaining(damaged.strip())
                .hasMessageContaining("Restore it");
    }

    @Test
    void read_directoryOfTheFirstForm_isRefused() throws IOException {
        write("ring-0123456789abcdef.log", "");
        write("super-peer", GOLDEN);

        assertThatThrownBy(() -> MembershipFile.read(disk))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("without replicated super-peers");
    }
}
