package dev.granary.storage.door.state;

import dev.granary.access.Access;
import dev.granary.env.Clock;
import dev.granary.overlay.HostAddress;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.hot.HotKeys;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/** What all connections of a door share. Thread-safe. */
public final class DoorState {

    private final DoorConfig config;
    private final Clock clock;
    private final SlotOwners owners;
    private final Supplier<KeyedFigures> figures;
    private final HotKeys hotKeys;
    private final CommandTable table;
    private final Clients clients = new Clients();
    private final Monitors monitors = new Monitors();
    private final Pause pause = new Pause();
    private final AwareClients aware = new AwareClients();
    private final Access access;
    private final SlowLog slowLog = new SlowLog();
    private final DoorCounters counters = new DoorCounters();
    private final SortedMap<String, CommandStats> stats = new TreeMap<>();
    private final Settings settings;
    private final long startNanos;
    private volatile HostAddress announced;
    private volatile long commandsPerSecond;

    /**
     * The state of a door that does not listen yet.
     *
     * @param figures what {@code INFO} shows of keys and memory; asked for now and then, by any thread
     * @param limits what keys may take, which clients may change
     * @param hotKeys what is looked at by {@code HOTKEYS}
     * @param table the commands that there are
     * @param access the users of this node
     */
    public DoorState(
            DoorConfig config,
            Clock clock,
            SlotOwners owners,
            Supplier<KeyedFigures> figures,
            KeyedLimits limits,
            HotKeys hotKeys,
            CommandTable table,
            Access access) {
        this.config = config;
        this.clock = clock;
        this.owners = owners;
        this.figures = figures;
        this.hotKeys = hotKeys;
        this.table = table;
        this.access = access;
        this.settings = new Settings(config.limits(), limits, access.file());
        this.startNanos = clock.nanoTime();
        this.announced = config.announced(config.listen().port());
        for (Command command : table.commands()) {
            if (command.subcommands().isEmpty()) {
                stats.put(command.name(), new CommandStats());
            }
            command.subcommands().forEach(sub -> stats.put(sub.name(), new CommandStats()));
        }
        // COMMAND is carried out without a subcommand as well.
        stats.putIfAbsent("command", new CommandStats());
    }

    public DoorConfig config() {
        return config;
    }

    public Clock clock() {
        return clock;
    }

    public SlotOwners owners() {
        return owners;
    }

    public KeyedFigures figures() {
        return figures.get();
    }

    public HotKeys hotKeys() {
        return hotKeys;
    }

    public CommandTable table() {
        return table;
    }

    public Access access() {
        return access;
    }

    public Clients clients() {
        return clients;
    }

    public Monitors monitors() {
        return monitors;
    }

    public Pause pause() {
        return pause;
    }

    public AwareClients aware() {
        return aware;
    }

    public SlowLog slowLog() {
        return slowLog;
    }

    public DoorCounters counters() {
        return counters;
    }

    public Settings settings() {
        return settings;
    }

    /** Returns what was counted, by the names of commands and subcommands. */
    public SortedMap<String, CommandStats> stats() {
        return Collections.unmodifiableSortedMap(stats);
    }

    /** Returns the calls of all commands. */
    public long commands() {
        return stats.values().stream().mapToLong(CommandStats::calls).sum();
    }

    public long startNanos() {
        return startNanos;
    }

    /** Returns where clients reach this door. */
    public HostAddress announced() {
        return announced;
    }

    public void announced(HostAddress address) {
        announced = address;
    }

    public long commandsPerSecond() {
        return commandsPerSecond;
    }

    public void commandsPerSecond(long count) {
        commandsPerSecond = count;
    }

    /** Begins all counts at zero again, as {@code CONFIG RESETSTAT} asks for. */
    public void resetCounts() {
        counters.reset();
        stats.values().forEach(CommandStats::reset);
    }
}
