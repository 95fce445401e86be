package dev.granary.net.message;

import dev.granary.overlay.Arc;
import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import java.util.List;
import java.util.UUID;

/** Names of chunks, and the copies of them that storage peers keep. */
public final class NameMessages {

    private NameMessages() {}

    /** When a name may be changed. The codes are part of the protocol. */
    public enum NameCondition implements Coded {
        /** Always. */
        ALWAYS(0),
        /** Only when it stands for nothing yet. */
        IF_ABSENT(1),
        /** Only when it stands for the expected CID. */
        IF_EXPECTED(2);

        private final int code;

        NameCondition(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /**
     * Lets a name stand for a chunk, or for nothing from now on. Goes to the super-peer whose arc holds the name's
     * position; another one redirects. (clientId, sequence) is the request id: it is carried out once (SAFETY rule
     * "retries"). A client counts the sequences of all its changes of names, at any super-peer.
     *
     * @param clientId random, of one client instance; not 0
     * @param sequence of the request, from 1
     * @param ackedSequence all requests up to it are answered and will not be repeated
     * @param repeated whether the request was sent before, so that it may have been carried out
     * @param name 1 to 1024 bytes of UTF-8
     * @param cid what the name is to stand for, 0 to remove it
     * @param condition under which it is changed
     * @param expectedCid of {@link NameCondition#IF_EXPECTED}, otherwise 0
     */
    public record ChangeName(
            long clientId,
            long sequence,
            long ackedSequence,
            boolean repeated,
            String name,
            long cid,
            NameCondition condition,
            long expectedCid)
            implements Message {}

    /**
     * The outcome of a change of a name.
     *
     * @param done whether the condition held and the name was changed
     * @param previousCid what the name stood for before, 0 for nothing
     */
    public record ChangeNameReply(boolean done, long previousCid) implements Message {}

    /**
     * Asks what a name stands for. Goes to the super-peer whose arc holds the name's position; another one redirects.
     */
    public record GetName(String name) implements Message {}

    /**
     * What a name stands for.
     *
     * @param cid 0 for nothing
     */
    public record GetNameReply(long cid) implements Message {}

    /** A name and the CID that it stands for. */
    public record NameEntry(String name, long cid) {}

    /**
     * Asks for the names of a piece of the ring that begin with a prefix, in the order of their bytes. A super-peer
     * answers only if it is responsible for the whole piece: a caller that asks for pieces that make up the ring misses
     * no name.
     *
     * @param fromExclusive the piece begins behind this position
     * @param toInclusive and ends with this one; when both are equal it is the whole ring
     * @param prefix of the names, empty for all
     * @param after names up to this one are left out; empty for none
     * @param limit the most names to be listed, at least 1
     */
    public record ListNames(
            @U16 int fromExclusive,
            @U16 int toInclusive,
            String prefix,
            String after,
            @I32 int limit) implements Message {

        /** The most names of one reply. */
        public static final int MAX_NAMES = 4096;
    }

    /**
     * Names in the order of their bytes.
     *
     * @param entries at most as many as were asked for
     * @param more whether there are more behind the last one
     */
    public record NameList(List<NameEntry> entries, boolean more) implements Message {

        public NameList {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Tells a storage peer to keep a copy of the names of an arc, in case all super-peers that have them are lost (ADR
     * 0150). Answered with {@link NamesSaved}.
     *
     * @param clusterId of the super-peer
     * @param ownerNid whose arc it is
     * @param fromExclusive the arc begins behind this position
     * @param toInclusive and ends with this one
     * @param ringEpoch of the ring that has this arc
     * @param step what the changes are for
     * @param baseVersion of the copy before these changes; without meaning when a copy is begun
     * @param version of the copy afterwards
     * @param changes in this order, each of a name; one to {@link dev.granary.overlay.Cid#NONE} removes it
     */
    public record SaveNames(
            UUID clusterId,
            @U16 int ownerNid,
            @U16 int fromExclusive,
            @U16 int toInclusive,
            long ringEpoch,
            Step step,
            long baseVersion,
            long version,
            List<NameEntry> changes)
            implements Message {

        /** The most changes of one request. */
        public static final int MAX_CHANGES = 1024;

        /** What changes are for. */
        public enum Step implements Coded {
            /** They follow those that the whole copy has. */
            CHANGE(0),
            /** A new copy is begun, which is filled beside the present one. */
            BEGIN(1),
            /** They are more of what the new copy is filled with. */
            FILL(2),
            /** They are the last of that, and the new copy takes the place of the present one. */
            FINISH(3);

            private final int code;

            Step(int code) {
                this.code = code;
            }

            @Override
            public int code() {
                return code;
            }
        }

        public SaveNames {
            changes = List.copyOf(changes);
        }

        /** The arc that the names are of. */
        public Arc arc() {
            return new Arc(fromExclusive, toInclusive);
        }
    }

    /**
     * What a storage peer has of the names of an arc now.
     *
     * @param taken whether the changes fitted, and are in the copy
     * @param version of the whole copy of just this arc, 0 for none
     */
    public record NamesSaved(boolean taken, long version) implements Message {}

    /**
     * Asks a storage peer for names of a copy that it keeps, in the order of their bytes.
     * Answered with a {@link NameList}.
     *
     * @param ownerNid whose arc the names are of
     * @param version of the copy; another one is refused
     * @param after names up to this one are left out; empty for none
     * @param limit the most names, at least 1
     */
    public record FetchNames(
            @U16 int ownerNid,
            long version,
            String after,
            @I32 int limit) implements Message {}

    /**
     * The whole copies of names that a storage peer keeps (ADR 0150).
     *
     * @param copies by the NIDs of the arcs' super-peers
     */
    public record NameCopyList(List<Copy> copies) implements Message {

        /**
         * A copy of the names of an arc.
         *
         * @param ownerNid whose arc it was
         * @param fromExclusive the arc began behind this position
         * @param toInclusive and ended with this one
         * @param ringEpoch of the latest ring that is known to have had this arc
         * @param version of the arc's names that it has; later versions have later changes
         */
        public record Copy(
                @U16 int ownerNid,
                @U16 int fromExclusive,
                @U16 int toInclusive,
                long ringEpoch,
                long version) {

            /** The arc that the names are of. */
            public Arc arc() {
                return new Arc(fromExclusive, toInclusive);
            }
        }

        public NameCopyList {
            copies = List.copyOf(copies);
        }
    }
}
