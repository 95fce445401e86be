package dev.granary.keyed.command;

/** What a command does with keys of one slot group. Has no state; any thread may run it. */
@FunctionalInterface
interface KeyCommand {

    /**
     * Carries out a call.
     *
     * @throws CommandException when that is impossible; nothing has changed
     * @throws dev.granary.keyed.KeyspaceFullException when there is no room; parts may have changed if it has many keys
     */
    void run(CommandCall call);
}
