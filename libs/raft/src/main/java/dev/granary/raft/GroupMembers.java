package dev.granary.raft;

import java.util.List;

/**
 * Who belongs to a group: committed configuration, never computed from anything else (SAFETY rule 15).
 *
 * @param version the log index of the change that led to these members, 0 for the founders; a change names the version
 *     that it starts from, so that two changes never mix
 * @param voters those that elect and count for a majority, in order
 * @param learners those that only follow, in order
 */
public record GroupMembers(long version, List<MemberId> voters, List<MemberId> learners) {

    public GroupMembers {
        voters = voters.stream().sorted().toList();
        learners = learners.stream().sorted().toList();
    }
}
