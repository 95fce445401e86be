package dev.granary.client.probe;

import dev.granary.env.Probe;

/** Situations of a client that the simulator's runs must reach. */
public enum ClientProbe implements Probe {
    DEADLINE_EXCEEDED("an operation did not succeed before its deadline"),
    PAUSE_ENDED_BY_NEWS("a pause ended early because a chunk had another owner"),
    PAUSE_TOLD("an answer told a client how long to wait"),
    OTHER_SUPER_PEER_ASKED("a super-peer did not answer and the next one was asked"),
    REFERRED("a super-peer named the one that answers"),
    OWNER_DOUBTED("nobody served a chunk at the moment"),
    CREATE_ON_THE_NEXT_PEER("a peer did not take a create and the next one was asked"),
    CREATE_ELSEWHERE("no peer of a list took a create and others were looked for"),
    CREATE_UNANSWERED("the incarnation ended that may have carried out a create"),
    CREATE_UNDONE("chunks of a create that nobody had answered were deleted"),
    LOCK_HELD_BY_ANOTHER("a client gave up to wait for a lock");

    private final String description;

    ClientProbe(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
