package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

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
