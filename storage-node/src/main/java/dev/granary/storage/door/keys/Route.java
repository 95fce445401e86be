package dev.granary.storage.door.keys;

import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandFlag;
import dev.granary.storage.door.command.LocalCommand;
import dev.granary.storage.door.state.CommandStats;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a command is carried out. Immutable, but for what it counts. */
public final class Route {

    private static final Set<String> ADMINISTRATIVE = Set.of(
            "acl|deluser",
            "acl|load",
            "acl|setuser",
            "client|kill",
            "client|pause",
            "client|unpause",
            "config|resetstat",
            "config|set",
            "flushall",
            "flushdb",
            "monitor");

    /** By whom a command is carried out. */
    public enum Kind {
        /** The door itself, at once. */
        LOCAL,
        /** The slot group of its keys; or of several ones, if the command can be split. */
        KEYS,
        /** The door, by calls to slot groups. */
        COMPOSED,
        /** The connection's transaction. */
        TRANSACTION
    }

    private final Command command;
    private final Kind kind;
    private final CommandStats stats;
    private final @Nullable LocalCommand local;
    private final @Nullable ComposedCommand composed;
    private final @Nullable SplitCommand split;
    private final boolean change;
    private final boolean administrative;

    Route(
            Command command,
            Kind kind,
            CommandStats stats,
            @Nullable LocalCommand local,
            @Nullable ComposedCommand composed) {
        this.command = command;
        this.kind = kind;
        this.stats = stats;
        this.local = local;
        this.composed = composed;
        this.split = kind == Kind.KEYS ? SplitCommand.of(command.name()) : null;
        this.change =
                command.flags().contains(CommandFlag.WRITE) || command.name().equals("exec");
        this.administrative = ADMINISTRATIVE.contains(command.name());
    }

    public Command command() {
        return command;
    }

    public String name() {
        return command.name();
    }

    public Kind kind() {
        return kind;
    }

    public CommandStats stats() {
        return stats;
    }

    /** Returns how its keys may be split over slot groups; null if they may not. */
    public @Nullable SplitCommand split() {
        return split;
    }

    /** Returns whether auditors want to know who has done that. */
    public boolean isAdministrative() {
        return administrative;
    }

    /** Returns whether it may change keys. */
    public boolean isChange() {
        return change;
    }

    /** Returns what carries it out at the door itself. */
    public LocalCommand local() {
        if (local == null) {
            throw new IllegalStateException("'" + name() + "' is not carried out by the door itself");
        }
        return local;
    }

    /** Carries it out by calls to slot groups. */
    public void compose(Caller caller, Request request) {
        if (composed == null) {
            throw new IllegalStateException("'" + name() + "' is not composed of calls");
        }
        composed.run(caller, request);
    }
}
