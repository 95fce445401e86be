package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.Arc;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/** Names of chunks, and the copies of them that storage peers keep. */
public final class NameMessages {

    private NameMessages() {}

    /** When a name may be changed. The codes are part of the protocol. */
    public enum NameCondition {
        /** Always. */
        ALWAYS(0),
        /** Only when it stands for nothing yet. */
        IF_ABSENT(1),
        /** Only when it stands for the expected CID. */
        IF_EXPECTED(2);

        private static final NameCondition[] BY_CODE = values();

        private final int code;

        NameCondition(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        /**
         * The condition with this code.
         *
         * @throws IllegalArgumentException when there is none
         */
        public static NameCondition of(int code) {
            if (code < 0 || code >= BY_CODE.length) {
                throw new IllegalArgumentException("the condition " + code + " of a name is unknown");
            }
            return BY_CODE[code];
        }
    }

    /**
     * Lets a name stand for a chunk, or for nothing any more. Goes to the super-peer whose arc holds the name's position;
     * another one redirects. (clientId, sequence) is the request id: it is carried out once (SAFETY rule "retries"). A
     * client counts the sequences of all its changes of names, at whichever super-peer.
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
            implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(clientId).writeLongLE(sequence).writeLongLE(ackedSequence);
            out.writeBoolean(repeated);
            Wire.writeString(out, name);
            out.writeLongLE(cid).writeByte(condition.code()).writeLongLE(expectedCid);
        }

        static ChangeName read(ByteBuf in) {
            return new ChangeName(
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readBoolean(),
                    Wire.readString(in),
                    in.readLongLE(),
                    NameCondition.of(in.readUnsignedByte()),
                    in.readLongLE());
        }
    }

    /**
     * What became of a change of a name.
     *
     * @param done whether the condition held and the name was changed
     * @param previousCid what the name stood for before, 0 for nothing
     */
    public record ChangeNameReply(boolean done, long previousCid) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeBoolean(done).writeLongLE(previousCid);
        }

        static ChangeNameReply read(ByteBuf in) {
            return new ChangeNameReply(in.readBoolean(), in.readLongLE());
        }
    }

    /** Asks what a name stands for. Goes to the super-peer whose arc holds the name's position; another one redirects. */
    public record GetName(String name) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeString(out, name);
        }

        static GetName read(ByteBuf in) {
            return new GetName(Wire.readString(in));
        }
    }

    /**
     * What a name stands for.
     *
     * @param cid 0 for nothing
     */
    public record GetNameReply(long cid) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(cid);
        }

        static GetNameReply read(ByteBuf in) {
            return new GetNameReply(in.readLongLE());
        }
    }

    /** A name and the CID that it stands for. */
    public record NameEntry(String name, long cid) {

        void writeTo(ByteBuf out) {
            Wire.writeString(out, name);
            out.writeLongLE(cid);
        }

        static NameEntry read(ByteBuf in) {
            return new NameEntry(Wire.readString(in), in.readLongLE());
        }
    }

    /**
     * Asks for the names of a piece of the ring that begin with a prefix, in the order of their bytes. Only the super-peer
     * that answers for the whole piece does so: a caller that asks for pieces that make up the ring misses none.
     *
     * @param fromExclusive the piece begins behind this position
     * @param toInclusive and ends with this one; when both are equal it is the whole ring
     * @param prefix of the names, empty for all
     * @param after names up to this one are left out; empty for none
     * @param limit the most names to be listed, at least 1
     */
    public record ListNames(int fromExclusive, int toInclusive, String prefix, String after, int limit)
            implements Message {

        /** The most names of one reply. */
        public static final int MAX_NAMES = 4096;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(fromExclusive).writeShortLE(toInclusive);
            Wire.writeString(out, prefix);
            Wire.writeString(out, after);
            out.writeIntLE(limit);
        }

        static ListNames read(ByteBuf in) {
            return new ListNames(
                    in.readUnsignedShortLE(),
                    in.readUnsignedShortLE(),
                    Wire.readString(in),
                    Wire.readString(in),
                    in.readIntLE());
        }
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

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeList(out, entries, (buffer, entry) -> entry.writeTo(buffer));
            out.writeBoolean(more);
        }

        static NameList read(ByteBuf in) {
            return new NameList(Wire.readList(in, NameEntry::read), in.readBoolean());
        }
    }

    /**
     * Has a storage peer keep a copy of the names of an arc, for when all super-peers that have them are lost (ADR 0150).
     * Answered with {@link NamesSaved}.
     *
     * @param clusterId of the super-peer
     * @param ownerNid whose arc it is
     * @param fromExclusive the arc begins behind this position
     * @param toInclusive and ends with this one
     * @param ringEpoch of the ring that has this arc
     * @param step what the changes are for
     * @param baseVersion of the copy before these changes; of no meaning when a copy is begun
     * @param version of the copy afterwards
     * @param changes in this order, each of a name; one to {@link dev.granary.overlay.Cid#NONE} removes it
     */
    public record SaveNames(
            UUID clusterId,
            int ownerNid,
            int fromExclusive,
            int toInclusive,
            long ringEpoch,
            Step step,
            long baseVersion,
            long version,
            List<NameEntry> changes)
            implements Message {

        /** The most changes of one request. */
        public static final int MAX_CHANGES = 1024;

        /** What changes are for. */
        public enum Step {
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

            private static Step of(int code) {
                for (Step step : values()) {
                    if (step.code == code) {
                        return step;
                    }
                }
                throw new FrameException("step " + code + " of saving names is not known");
            }
        }

        public SaveNames {
            changes = List.copyOf(changes);
        }

        /** The arc that the names are of. */
        public Arc arc() {
            return new Arc(fromExclusive, toInclusive);
        }

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeUuid(out, clusterId);
            out.writeShortLE(ownerNid).writeShortLE(fromExclusive).writeShortLE(toInclusive);
            out.writeLongLE(ringEpoch);
            out.writeByte(step.code);
            out.writeLongLE(baseVersion).writeLongLE(version);
            Wire.writeList(out, changes, (buffer, change) -> change.writeTo(buffer));
        }

        static SaveNames read(ByteBuf in) {
            return new SaveNames(
                    Wire.readUuid(in),
                    in.readUnsignedShortLE(),
                    in.readUnsignedShortLE(),
                    in.readUnsignedShortLE(),
                    in.readLongLE(),
                    Step.of(in.readUnsignedByte()),
                    in.readLongLE(),
                    in.readLongLE(),
                    Wire.readList(in, NameEntry::read));
        }
    }

    /**
     * What a storage peer has of the names of an arc now.
     *
     * @param taken whether the changes fitted, and are in the copy
     * @param version of the whole copy of just this arc, 0 for none
     */
    public record NamesSaved(boolean taken, long version) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeBoolean(taken).writeLongLE(version);
        }

        static NamesSaved read(ByteBuf in) {
            return new NamesSaved(in.readBoolean(), in.readLongLE());
        }
    }

    /**
     * Asks a storage peer for names of a copy that it keeps, in the order of their bytes. Answered with a {@link NameList}.
     *
     * @param ownerNid whose arc the names are of
     * @param version of the copy; another one is refused
     * @param after names up to this one are left out; empty for none
     * @param limit the most names, at least 1
     */
    public record FetchNames(int ownerNid, long version, String after, int limit) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(ownerNid).writeLongLE(version);
            Wire.writeString(out, after);
            out.writeIntLE(limit);
        }

        static FetchNames read(ByteBuf in) {
            return new FetchNames(in.readUnsignedShortLE(), in.readLongLE(), Wire.readString(in), in.readIntLE());
        }
    }

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
        public record Copy(int ownerNid, int fromExclusive, int toInclusive, long ringEpoch, long version) {

            /** The arc that the names are of. */
            public Arc arc() {
                return new Arc(fromExclusive, toInclusive);
            }

            private static void write(ByteBuf out, Copy copy) {
                out.writeShortLE(copy.ownerNid).writeShortLE(copy.fromExclusive).writeShortLE(copy.toInclusive);
                out.writeLongLE(copy.ringEpoch).writeLongLE(copy.version);
            }

            private static Copy read(ByteBuf in) {
                return new Copy(
                        in.readUnsignedShortLE(),
                        in.readUnsignedShortLE(),
                        in.readUnsignedShortLE(),
                        in.readLongLE(),
                        in.readLongLE());
            }
        }

        public NameCopyList {
            copies = List.copyOf(copies);
        }

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeList(out, copies, Copy::write);
        }

        static NameCopyList read(ByteBuf in) {
            return new NameCopyList(Wire.readList(in, Copy::read));
        }
    }
}
