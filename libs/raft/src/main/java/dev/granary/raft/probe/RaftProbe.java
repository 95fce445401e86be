package dev.granary.raft.probe;

import dev.granary.env.Probe;

/** Situations of Raft groups that runs of the simulator should reach. */
public enum RaftProbe implements Probe {
    LEADER_CHANGED("a member learnt of another leader"),
    LEADER_UNKNOWN("a member had no leader any more"),
    PRE_VOTE_ENDED_BY_THE_LEADER("a member that looked for votes heard of the leader of its term again"),
    LATER_TERM_FOLLOWED("a member that looked for votes followed a later term"),
    OTHERS_ELECTION_WAITED_FOR("a member held its election back while another one asks for votes"),
    OUTCOME_UNKNOWN("a member ended with requests of which nobody knows what became"),
    RESPONSE_OF_A_FORMER_TERM("a response of a former term was dropped");

    private final String description;

    RaftProbe(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
