package dev.granary.net.message;

import java.util.List;

/** Messages that find out the outcome of creates whose answer was lost. */
public final class CreateMessages {

    private CreateMessages() {}

    /**
     * Asks an owner which chunks a create has made in ranges that it has taken over from the peer that was asked to
     * create them (ADR 0135). Answered with {@link CreatedChunks}; refused for a while when it does not own one of the
     * ranges.
     *
     * @param clientId of the create's request id
     * @param sequence of the create's request id
     * @param cids one of each range
     */
    public record FindCreated(long clientId, long sequence, List<Long> cids) implements Message {

        public FindCreated {
            cids = List.copyOf(cids);
        }
    }

    /**
     * What an owner knows of a create.
     *
     * @param known false when it has forgotten the outcomes of requests as old as this one
     * @param cids what was created and came to this owner, at most {@link ChunkLayouts#MAX_COUNT}
     */
    public record CreatedChunks(boolean known, List<Long> cids) implements Message {

        public CreatedChunks {
            cids = List.copyOf(cids);
        }
    }
}
