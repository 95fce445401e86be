package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Durability;
import dev.granary.net.message.MessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --durability} from the command line to the storage peer. */
class DurabilityOptionTest {

    private static final String CID = "0x8000000000000001";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create VALUE",
                "put 0x8000000000000001 VALUE",
                "delete 0x8000000000000001",
                "load debian-packages"
            })
    void durability_isNoLevel_isRefusedBeforeAnythingIsSent(String command) {
        Run run = Run.of((command + " --durability forever").split(" "));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error())
                .contains("Invalid value for option '--durability'")
                .contains("ASYNC, REPLICATED, SYNCED")
                .contains("'forever'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "put", "delete", "load"})
    void help_ofACommandThatChangesChunks_namesTheLevels(String command) {
        Run run = Run.of(command, "--help");
        assertThat(run.code()).isZero();
        assertThat(run.output()).contains("--durability=LEVEL", "async", "replicated", "synced");
    }

    @ParameterizedTest
    @CsvSource({"async, ASYNC", "replicated, REPLICATED", "synced, SYNCED", "SYNCED, SYNCED"})
    void durability_isALevel_arrivesAtTheStoragePeer(String option, Durability level) {
        try (ListeningCluster cluster = new ListeningCluster()) {
            change(cluster, "--durability", option);
            assertThat(cluster.durabilityByType())
                    .containsOnlyKeys(MessageType.CREATE, MessageType.PUT, MessageType.DELETE)
                    .allSatisfy((_, flags) -> assertThat(flags).isEqualTo(level.flags()));
        }
    }

    @Test
    void durability_isNotGiven_nothingIsAsked() {
        try (ListeningCluster cluster = new ListeningCluster()) {
            change(cluster);
            assertThat(cluster.durabilityByType())
                    .containsOnlyKeys(MessageType.CREATE, MessageType.PUT, MessageType.DELETE)
                    .allSatisfy((_, flags) -> assertThat(flags).isZero());
        }
    }

    private static void change(ListeningCluster cluster, String... options) {
        for (String command : new String[] {"create VALUE", "put " + CID + " VALUE", "delete " + CID}) {
            String line = command + " --seeds " + cluster.seed() + " " + String.join(" ", options);
            Run run = Run.of(line.strip().split(" "));
            assertThat(run.code()).as(run.error()).isZero();
        }
    }
}
