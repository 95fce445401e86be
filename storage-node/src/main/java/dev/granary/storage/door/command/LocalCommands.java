package dev.granary.storage.door.command;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All commands that a door answers itself, by name; a subcommand with its container: {@code client|id}. */
public final class LocalCommands {

    private final Map<String, LocalCommand> byName = new HashMap<>();

    public LocalCommands() {
        ConnectionCommands.addTo(byName);
        AclCommands.addTo(byName);
        AclUserCommands.addTo(byName);
        ClientCommands.addTo(byName);
        ClientListCommands.addTo(byName);
        ServerCommands.addTo(byName);
        ConfigCommands.addTo(byName);
        InfoCommand.addTo(byName);
        SlowLogCommands.addTo(byName);
        LatencyCommands.addTo(byName);
        MemoryCommands.addTo(byName);
        HotKeysCommands.addTo(byName);
        ClusterCommands.addTo(byName);
    }

    public boolean has(String name) {
        return byName.containsKey(name);
    }

    public @Nullable LocalCommand find(String name) {
        return byName.get(name);
    }
}
