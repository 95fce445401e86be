package dev.granary.storage.door.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.command.KeyCommands;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The table of a door has what somebody carries out, and somebody carries out what it has. */
class DoorTableTest {

    private static final List<Consumer<Map<String, LocalCommand>>> LOCAL = List.of(
            ConnectionCommands::addTo,
            ClientCommands::addTo,
            ClientListCommands::addTo,
            ServerCommands::addTo,
            ConfigCommands::addTo,
            InfoCommand::addTo,
            SlowLogCommands::addTo,
            LatencyCommands::addTo,
            MemoryCommands::addTo,
            HotKeysCommands::addTo,
            ClusterCommands::addTo);

    private final LocalCommands local = new LocalCommands();
    private final KeyCommands onKeys = new KeyCommands();
    private final CommandTable table = DoorTable.of(local, onKeys::has);

    @Test
    void table_commandsOfTheDoor_areAllInIt() {
        for (Consumer<Map<String, LocalCommand>> some : LOCAL) {
            Map<String, LocalCommand> commands = new HashMap<>();
            some.accept(commands);
            assertThat(commands).isNotEmpty();
            assertThat(commands.keySet()).allSatisfy(name -> {
                assertThat(table.find(name)).as(name).isNotNull();
                assertThat(local.has(name)).as(name).isTrue();
            });
        }
    }

    @Test
    void table_subcommandsAndKeys_areThoseThatThereAre() {
        assertThat(table.find("client|setinfo")).isNotNull();
        assertThat(table.find("client|caching")).isNotNull();
        assertThat(table.find("cluster|meet")).isNull();
        assertThat(table.find("memory|purge")).isNull();
        assertThat(table.find("move")).isNull();
        assertThat(table.find("object|encoding")).isNotNull();
        assertThat(table.commands().stream().map(Command::name))
                .contains("get", "scan", "exec", "function")
                .isSorted();
        CommandTable without = DoorTable.of(local, name -> false);
        assertThat(without.find("get")).isNull();
        assertThat(without.find("watch")).isNotNull();
    }

    @Test
    void client_subcommandsOfTwoVersions_areInOrder() {
        Command client = table.find("client");
        assertThat(client).isNotNull();
        assertThat(client.arity()).isEqualTo(-2);
        assertThat(client.docs().summary()).isNotNull();
        assertThat(client.subcommands().stream().map(Command::name)).isSorted();
    }
}
