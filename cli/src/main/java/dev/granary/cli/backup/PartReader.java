package dev.granary.cli.backup;

import dev.granary.client.NamedChunk;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.overlay.SlotGroup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Reads the blocks of one part. It passes on nothing of a block that is damaged or cut off. */
final class PartReader {

    /** Takes the blocks of a part, in their order. */
    interface Visitor {
        void chunks(ChunkBlock block);

        void names(List<NamedChunk> names);

        void keys(KeyBlock block);
    }

    private final String name;
    private final byte[] bytes;
    private final ByteBuf in;
    private long chunks;
    private long payloadBytes;
    private long names;
    private long keys;

    /**
     * @param name the part's name, for messages
     */
    PartReader(String name, byte[] bytes) {
        this.name = name;
        this.bytes = bytes;
        this.in = Unpooled.wrappedBuffer(bytes);
    }

    /**
     * Reads the whole part.
     *
     * @throws BackupException when the bytes are not a part, are of a later version, or are damaged
     */
    void read(Visitor visitor) {
        try {
            readAll(visitor);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | NegativeArraySizeException e) {
            throw damaged("it ends too early or is malformed");
        }
    }

    private void readAll(Visitor visitor) {
        byte[] magic = new byte[PartFormat.MAGIC.length];
        in.readBytes(magic);
        if (!Arrays.equals(magic, PartFormat.MAGIC)) {
            throw new BackupException(name + " is not a part of a backup");
        }
        int version = in.readIntLE();
        if (version != PartFormat.VERSION) {
            throw new BackupException(
                    name + " is of version " + version + "; this program reads " + PartFormat.VERSION);
        }
        while (true) {
            ByteBuf block = nextBlock();
            int kind = block.readUnsignedByte();
            switch (kind) {
                case PartFormat.CHUNKS -> visitor.chunks(readChunks(block));
                case PartFormat.NAMES -> visitor.names(readNames(block));
                case PartFormat.KEYS -> visitor.keys(readKeys(block));
                case PartFormat.END -> {
                    readEnd(block);
                    return;
                }
                default -> throw damaged("it has a block of the unknown kind " + kind);
            }
        }
    }

    private ByteBuf nextBlock() {
        int length = in.readIntLE();
        int checksum = in.readIntLE();
        int start = in.readerIndex();
        ByteBuf block = in.readSlice(length);
        CRC32C found = new CRC32C();
        found.update(bytes, start, length);
        if ((int) found.getValue() != checksum) {
            throw damaged("the checksum of the block at " + (start - PartFormat.FRAME_BYTES) + " is wrong");
        }
        return block;
    }

    private ChunkBlock readChunks(ByteBuf block) {
        int owner = block.readUnsignedShortLE();
        long startCid = block.readLongLE();
        long endCid = block.readLongLE();
        int count = block.readIntLE();
        long[] cids = new long[count];
        int[] sizes = new int[count];
        for (int i = 0; i < count; i++) {
            cids[i] = startCid + block.readIntLE();
        }
        for (int i = 0; i < count; i++) {
            sizes[i] = block.readIntLE();
        }
        byte[] payload = new byte[block.readableBytes()];
        block.readBytes(payload);
        chunks += count;
        payloadBytes += payload.length;
        if (Arrays.stream(sizes).asLongStream().sum() != payload.length) {
            throw damaged("the sizes of its chunks do not fit");
        }
        return new ChunkBlock(owner, startCid, endCid, cids, sizes, payload);
    }

    private List<NamedChunk> readNames(ByteBuf block) {
        int count = block.readIntLE();
        List<NamedChunk> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int sizeBytes = block.readUnsignedShortLE();
            String text =
                    block.readCharSequence(sizeBytes, StandardCharsets.UTF_8).toString();
            found.add(new NamedChunk(text, block.readLongLE()));
        }
        names += count;
        return found;
    }

    private KeyBlock readKeys(ByteBuf block) {
        int group = block.readUnsignedShortLE();
        int count = block.readIntLE();
        List<BackedUpKey> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long expiresAtMillis = block.readLongLE();
            found.add(new BackedUpKey(readBytes(block), readBytes(block), expiresAtMillis));
        }
        keys += count;
        if (group >= SlotGroup.COUNT || block.isReadable()) {
            throw damaged("it has a block of keys that is none");
        }
        return new KeyBlock(group, found);
    }

    private static byte[] readBytes(ByteBuf block) {
        byte[] read = new byte[block.readIntLE()];
        block.readBytes(read);
        return read;
    }

    private void readEnd(ByteBuf block) {
        boolean whole = block.readLongLE() == chunks
                && block.readLongLE() == payloadBytes
                && block.readLongLE() == names
                && (block.isReadable() ? block.readLongLE() : 0) == keys
                && !in.isReadable();
        if (!whole) {
            throw damaged("its totals differ from those in its end block");
        }
    }

    private BackupException damaged(String why) {
        return new BackupException(name + " is damaged: " + why);
    }
}
