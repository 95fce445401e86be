package dev.granary.memory.os;

import dev.granary.memory.SystemMemoryConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** The NUMA nodes of the machine. One without any knowledge of nodes has node 0. */
final class NumaNodes {

    private static final Path ONLINE = Path.of("/sys/devices/system/node/online");

    private NumaNodes() {}

    /** The nodes that are there. */
    static BitSet online() {
        try {
            return parse(Files.readString(ONLINE));
        } catch (IOException e) {
            // A kernel without NUMA has no such file.
            return parse("0");
        }
    }

    /** Reads a list like {@code 0-1,4}. */
    static BitSet parse(String list) {
        BitSet nodes = new BitSet();
        for (String part : list.strip().split(",", -1)) {
            String[] ends = part.split("-", 2);
            int first = Integer.parseInt(ends[0]);
            nodes.set(first, Integer.parseInt(ends[ends.length - 1]) + 1);
        }
        return nodes;
    }

    /**
     * Checks that there is such a node, or that any will do.
     *
     * @throws IllegalArgumentException if not
     */
    static void check(int node) {
        if (node == SystemMemoryConfig.ANY_NODE) {
            return;
        }
        BitSet online = online();
        if (!online.get(node)) {
            throw new IllegalArgumentException("there is no NUMA node " + node + ", this machine has " + online);
        }
    }
}
