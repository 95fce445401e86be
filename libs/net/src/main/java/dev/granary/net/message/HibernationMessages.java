package dev.granary.net.message;

import dev.granary.schema.Coded;
import dev.granary.schema.U16;

/** Planned stops of one storage peer and of all. */
public final class HibernationMessages {

    private HibernationMessages() {}

    /**
     * A person or the operator takes a storage peer through a planned stop (ADR 0120). All peers must refuse changes
     * before the first one is parked, so that no peer misses a change of another. A repeated request tells how far it
     * is.
     *
     * @param step what is wanted
     */
    public record Hibernate(Step step) implements Message {

        /** Codes are part of the protocol: never reuse. */
        public enum Step implements Coded {
            /** Changes are taken again; on a parked peer this does nothing. */
            WORK(0),
            /** Changes are refused; what was taken goes to the backups, and is synced there. */
            REFUSE_CHANGES(1),
            /** Nothing is served from now on; the memory goes to the disk. */
            PARK(2);

            private final int code;

            Step(int code) {
                this.code = code;
            }

            @Override
            public int code() {
                return code;
            }
        }
    }

    /**
     * How far a storage peer is with a planned stop.
     *
     * @param done whether the wanted step is reached
     * @param dumpBytes written so far
     * @param totalBytes about how many there will be
     * @param problem why the step cannot be reached, empty if it can; the peer then works on as before
     */
    public record HibernateReply(boolean done, long dumpBytes, long totalBytes, String problem) implements Message {}

    /**
     * A storage peer stops for a while: it no longer serves anything, and its memory is dumped on its disk. Nobody
     * takes its place until it resumes with this dump or is given up (SAFETY rule "one writer", ADR 0120).
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param dumpId of the dump, random, not 0
     */
    public record ParkPeer(@U16 int nid, long incarnation, long dumpId) implements Message {}

    /**
     * A person gives up a parked storage peer: those who have copies take its place, and what has no copy is lost (ADR
     * 0120).
     *
     * @param nid its NID
     */
    public record UnparkPeer(@U16 int nid) implements Message {}

    /**
     * Asks a storage peer without a chunk to start a new incarnation whose LIDs begin at a mark, so that chunks with
     * lower LIDs can be restored from a cluster backup. The storage peer must refuse changes before it gets this.
     *
     * @param lidMark the mark
     * @param backup the fingerprint of the cluster backup, not 0
     */
    public record RestorePeer(long lidMark, long backup) implements Message {}
}
