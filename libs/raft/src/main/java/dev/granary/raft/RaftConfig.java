package dev.granary.raft;

import java.util.List;

/**
 * What one member must know to take part in a group.
 *
 * @param groupId the same on all members; no other group among the same members has it
 * @param self this member
 * @param founders the voters that the group began with; the same on all members for ever, later members included. If
 *     the disk knows founders, those count
 * @param logName of the files on the member's disk
 * @param timing the same on all members
 * @param commandsPerSnapshot after how many commands a snapshot replaces the log
 */
public record RaftConfig(
        long groupId,
        MemberId self,
        List<MemberId> founders,
        String logName,
        RaftTiming timing,
        int commandsPerSnapshot) {

    private static final int DEFAULT_COMMANDS_PER_SNAPSHOT = 10_000;

    public RaftConfig {
        founders = founders.stream().sorted().distinct().toList();
        if (founders.isEmpty()) {
            throw new IllegalArgumentException("a group without founders");
        }
        if (commandsPerSnapshot < 2) {
            throw new IllegalArgumentException("a snapshot every " + commandsPerSnapshot + " commands");
        }
    }

    /** Returns a configuration with a snapshot every 10,000 commands. */
    public static RaftConfig of(
            long groupId, MemberId self, List<MemberId> founders, String logName, RaftTiming timing) {
        return new RaftConfig(groupId, self, founders, logName, timing, DEFAULT_COMMANDS_PER_SNAPSHOT);
    }
}
