package dev.granary.memory.map;

import java.util.ArrayList;
import java.util.List;

/** Checks the invariants of a map that nobody writes to: groups first, then slabs against what the groups have. */
final class MapVerifier {

    private final MapParts parts;
    private final MapMemory memory;
    private final MapSlabs slabs;
    private final List<String> violations = new ArrayList<>();
    private final int[] liveInSlab;
    private long entries;
    private long payloadBytes;
    private long blocks;

    MapVerifier(MapParts parts) {
        this.parts = parts;
        this.memory = parts.memory();
        this.slabs = parts.slabs();
        this.liveInSlab = new int[slabs.usedSlabs()];
    }

    OffHeapMapReport verify() {
        MapDirectory directory = parts.directory();
        long groups = directory.groups();
        for (long group = 0; group < groups; group++) {
            if ((directory.version(group) & 1) != 0) {
                complain("group " + group + " is latched");
            }
            long word = directory.block(group);
            if (word != 0 && isBlock("group " + group, word)) {
                group(group, word);
            }
        }
        if (groups < directory.maxGroups() && directory.block(groups) != 0) {
            complain("there is a block behind the last group");
        }
        if (entries != parts.counters().entries()) {
            complain(entries + " entries, counted were " + parts.counters().entries());
        }
        if (payloadBytes != parts.counters().payloadBytes()) {
            complain(payloadBytes + " B of payload, counted were "
                    + parts.counters().payloadBytes());
        }
        long freeBlocks = new MapSlabVerifier(slabs, liveInSlab, this::complain).verify();
        return new OffHeapMapReport(entries, blocks, freeBlocks, violations);
    }

    private boolean isBlock(String whose, long word) {
        long address = MapBlockSizes.address(word);
        int slab = slabs.slabOf(address);
        int sizeClass = MapBlockSizes.sizeClass(word);
        if (slab < 0 || slab >= liveInSlab.length || slabs.table().sizeClass(slab) != sizeClass) {
            complain(whose + " has a block that is in no slab of its class");
            return false;
        }
        long offset = address - slabs.address(slab);
        int size = MapBlockSizes.sizeBytes(sizeClass);
        if (offset % size != 0 || offset / size >= slabs.table().cut(slab)) {
            complain(whose + " has a block where none begins");
            return false;
        }
        liveInSlab[slab]++;
        blocks++;
        return true;
    }

    private void group(long group, long word) {
        long block = MapBlockSizes.address(word);
        long header = memory.word(block);
        int size = MapBlockSizes.sizeOf(word);
        int count = MapGroup.entries(header);
        if (MapGroup.kind(header) != MapGroup.KIND_GROUP || count == 0) {
            complain("group " + group + " has a block that is no group");
            return;
        }
        if (MapGroup.columnsEnd(header) + MapGroup.dataBytes(header) > size) {
            complain("the columns of group " + group + " reach into its data");
            return;
        }
        if (MapGroup.dataBefore(memory, block, header, count) != MapGroup.dataBytes(header)) {
            complain("the lengths in group " + group + " do not add up to its data");
            return;
        }
        if (MapGroup.hasExpiry(header) && MapExpiries.base(memory, block) < 1) {
            complain("group " + group + " has times from no time on");
        }
        MapImage image = MapImage.of(memory, block, header, 0);
        long[] hashes = new long[count];
        long data = block + size;
        for (int i = 0; i < count; i++) {
            data -= image.dataBytes(i);
            hashes[i] = image.isForward(i) ? large(group, data) : small(image, i, data);
            String which = "entry " + i + " of group " + group;
            if (image.expiry(i) < 0) {
                complain(which + " expires at no time");
            }
            if (MapDirectory.groupOf(hashes[i], parts.directory().groups()) != group) {
                complain(which + " belongs to another group");
            }
            long noted = memory.number(block + MapGroup.fingerprints(header) + i, 1);
            if (noted != MapHash.fingerprint(hashes[i])) {
                complain(which + " has another fingerprint");
            }
            for (int other = 0; other < i; other++) {
                if (hashes[other] == hashes[i]) {
                    complain(which + " has the key of entry " + other);
                }
            }
        }
        entries += count;
    }

    private long small(MapImage image, int index, long data) {
        payloadBytes += image.dataBytes(index);
        return memory.hash(data, image.keyBytes(index), parts.seed());
    }

    private long large(long group, long forward) {
        long first = MapChains.first(memory, forward);
        long wanted = (long) MapChains.keyBytes(memory, forward) + MapChains.valueBytes(memory, forward);
        long hash = first == 0 ? 0 : MapChains.hash(memory, first);
        long bytes = 0;
        for (long piece = first; piece != 0; piece = MapChains.next(memory, piece)) {
            int payload = MapChains.payloadBytes(memory, piece);
            if (payload == 0 || !isBlock("a chain of group " + group, piece)) {
                complain("group " + group + " has a broken chain");
                return hash;
            }
            if (MapChains.hash(memory, piece) != hash) {
                complain("group " + group + " has a chain of different hashes");
            }
            bytes += payload;
        }
        if (bytes != wanted) {
            complain("group " + group + " has a chain of " + bytes + " B for an entry of " + wanted + " B");
        }
        payloadBytes += wanted;
        return hash;
    }

    private void complain(String violation) {
        if (violations.size() < OffHeapMapReport.MAX_VIOLATIONS) {
            violations.add(violation);
        }
    }
}
