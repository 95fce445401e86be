package dev.granary.resp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.Request;
import dev.granary.resp.Wire;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommandTableTest {

    private static final CommandTable REDIS = CommandTable.redis();

    private static @Nullable String found(CommandTable table, String... arguments) {
        Request request = Wire.request(arguments);
        try {
            Command command = table.find(request);
            return command == null ? null : command.name();
        } finally {
            request.release();
        }
    }

    @Test
    void find_eachCommandAndSubcommand_byItsNameInAnyCase() {
        for (Command command : REDIS.commands()) {
            assertThat(found(REDIS, command.name())).isEqualTo(command.name());
            assertThat(REDIS.find(command.name().toUpperCase(Locale.ROOT))).isSameAs(command);
            for (Command subcommand : command.subcommands()) {
                String name = subcommand.ownName().toUpperCase(Locale.ROOT);
                assertThat(found(REDIS, command.name(), name, "x")).isEqualTo(subcommand.name());
                assertThat(REDIS.find(subcommand.name())).isSameAs(subcommand);
            }
        }
        assertThat(REDIS.commands()).hasSize(99);
    }

    @Test
    void find_whatIsNone_isNull() {
        for (String name : List.of("", "ge", "gett", "@GET", "g\u0005t", "client|list", "x".repeat(1000))) {
            assertThat(found(REDIS, name)).as(name).isNull();
        }
        assertThat(found(REDIS, "client", "no-such")).isNull();
        assertThat(found(REDIS, "client", "x".repeat(1000))).isNull();
        assertThat(found(REDIS, "get", "no-such")).isEqualTo("get");
    }

    @Test
    void only_someCommands_leavesOutOthersAndTheirSubcommands() {
        CommandTable some = REDIS.only(command -> command.name().matches("client(\\|(id|list))?|get"));
        assertThat(some.commands()).extracting(Command::name).containsExactly("client", "get");
        assertThat(some.commands().getFirst().subcommands())
                .extracting(Command::name)
                .containsExactly("client|id", "client|list");
        assertThat(found(some, "client", "kill")).isNull();
        assertThat(found(some, "set")).isNull();
    }

    @Test
    void with_anotherTable_hasBoth() {
        CommandTable other = CommandTable.read("command box.open\n arity 2\n flags write\n group generic");
        CommandTable both = REDIS.with(other);
        assertThat(found(both, "Box.Open", "x")).isEqualTo("box.open");
        assertThat(found(both, "get", "x")).isEqualTo("get");
        assertThatThrownBy(() -> both.with(other)).hasMessageContaining("'box.open' is there twice");
    }
}
