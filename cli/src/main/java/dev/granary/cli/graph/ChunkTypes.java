package dev.granary.cli.graph;

import dev.granary.serialization.Importer;
import dev.granary.serialization.MalformedDataException;

/**
 * The types of the graph's chunks. The first byte of a chunk is its type (docs/formats/debian-graph.md). No type is 0,
 * so that readers recognize a chunk that was created and never written. The numbers never change.
 */
final class ChunkTypes {

    static final byte VERTEX = 1;
    static final byte LEAF = 2;
    static final byte BRANCH = 3;
    static final byte BUCKET = 4;
    static final byte DIRECTORY = 5;
    static final byte ROOT = 6;

    /** The most CIDs in one leaf, branch or directory, so that none of these chunks is larger than 2,048 bytes. */
    static final int MAX_FANOUT = 128;

    private ChunkTypes() {}

    /** Reads the first byte of a chunk and checks that it is this type. */
    static void expect(byte type, Importer in) {
        byte found = in.readByte();
        if (found != type) {
            throw new MalformedDataException("a chunk of type " + type + " was expected, found type " + found);
        }
    }

    /** Reads the number of elements that follow and checks that the rest of the chunk can hold them. */
    static int readCount(Importer in, int max, int leastElementBytes) {
        int count = in.readCompact();
        if (count > max || (long) count * leastElementBytes > in.remainingBytes()) {
            throw new MalformedDataException("a count of " + count + " elements, allowed are " + max + " and as many as"
                    + " fit into the remaining " + in.remainingBytes() + " bytes");
        }
        return count;
    }

    /** Checks that nothing follows the last field. */
    static void expectEnd(Importer in) {
        if (in.remainingBytes() != 0) {
            throw new MalformedDataException(in.remainingBytes() + " bytes follow the last field");
        }
    }
}
