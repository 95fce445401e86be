package dev.granary.storage.door.keys;

import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.storage.door.command.LocalCommand;
import dev.granary.storage.door.command.LocalCommands;
import dev.granary.storage.door.keys.Route.Kind;
import dev.granary.storage.door.state.CommandStats;
import dev.granary.storage.door.state.DoorState;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How each command of a door is carried out. Thread-safe. */
public final class Routes {

    private static final Set<String> TRANSACTIONS = Set.of("multi", "exec", "discard", "watch", "unwatch");

    private final DoorState door;

    /** By identity: equality of commands looks at all that is told of them. */
    private final IdentityHashMap<Command, Route> routes = new IdentityHashMap<>();

    /** @param more commands that the door carries out by asking others, by name */
    public Routes(DoorState door, LocalCommands local, Map<String, ComposedCommand> more) {
        this.door = door;
        Map<String, ComposedCommand> composed = new HashMap<>(more);
        LoginCommands.addTo(composed);
        AllKeysCommands.addTo(composed);
        ScanCommand.addTo(composed);
        SlotKeysCommand.addTo(composed);
        for (Command command : door.table().commands()) {
            add(command, local, composed);
            command.subcommands().forEach(sub -> add(sub, local, composed));
        }
    }

    private void add(Command command, LocalCommands local, Map<String, ComposedCommand> composed) {
        CommandStats stats = door.stats().get(command.name());
        if (stats == null) {
            // A container, which is nothing without a subcommand.
            stats = new CommandStats();
        }
        LocalCommand own = local.find(command.name());
        ComposedCommand ofCalls = composed.get(command.name());
        Kind kind = TRANSACTIONS.contains(command.name())
                ? Kind.TRANSACTION
                : own != null ? Kind.LOCAL : ofCalls != null ? Kind.COMPOSED : Kind.KEYS;
        routes.put(command, new Route(command, kind, stats, own, ofCalls));
    }

    /** Returns how a request is carried out; null if its command is none. */
    public @Nullable Route find(Request request) {
        Command command = door.table().find(request);
        return command == null ? null : routes.get(command);
    }
}
