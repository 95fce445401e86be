package dev.granary.keyed.command;

import java.util.HashMap;
import java.util.Map;

/**
 * All commands on keys of one slot group, by name. The arguments of a request are checked here against what its command
 * takes, so that a command need not. Thread-safe.
 */
public final class KeyCommands {

    private final Map<String, KeyCommand> byName = new HashMap<>();

    public KeyCommands() {
        BitCommands.addTo(byName);
        BitfieldCommands.addTo(byName);
        CounterCommands.addTo(byName);
        DumpCommands.addTo(byName);
        ExpiryCommands.addTo(byName);
        GenericCommands.addTo(byName);
        LcsCommand.addTo(byName);
        RangeCommands.addTo(byName);
        StringCommands.addTo(byName);
        HashCommands.addTo(byName);
        HashWriteCommands.addTo(byName);
        HashScan.addTo(byName);
        HashRandomFields.addTo(byName);
        KeyspaceCommands.addTo(byName);
        ObjectCommands.addTo(byName);
    }

    /** Returns whether a command by this name is one on keys. */
    public boolean has(String name) {
        return byName.containsKey(name);
    }

    /**
     * Carries out a call, and writes its reply or the error.
     *
     * @throws IllegalArgumentException when the command is none on keys
     * @throws dev.granary.keyed.KeyspaceFullException when there is no room; no reply was written
     */
    public void run(CommandCall call) {
        KeyCommand command = byName.get(call.command().name());
        if (command == null) {
            throw new IllegalArgumentException("'" + call.command().name() + "' is no command on keys");
        }
        int mark = call.reply().out().writerIndex();
        try {
            command.run(call);
        } catch (CommandException e) {
            call.reply().out().writerIndex(mark);
            call.reply().error(String.valueOf(e.getMessage()));
        }
    }
}
