package dev.granary.storage.keyed;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.FragmentationStatistics;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.LoneOwner;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The account of what a key takes beside key and value, with keys of 16 bytes and values of 16 to 128 bytes: after
 * loading, and after two rounds in which half of the keys get values of other sizes and a fifth is replaced by new
 * keys. {@code granary.keyed.groups} is the number of slot groups, 256 for ten million keys, which need 2 GiB.
 */
final class KeyedBytesTest {

    private static final int GROUPS = Integer.getInteger("granary.keyed.groups", 4);

    /** As many as a group has of ten million. */
    private static final int KEYS = Integer.getInteger("granary.keyed.keys", 39_062);

    private static final int KEY_BYTES = 16;
    private static final int ROUNDS = 2;

    private final LoneOwner owner = new LoneOwner();
    private final ChunkMemory memory = ChunkMemories.open(
            ChunkMemoryConfig.of(NID, Math.max(64L << 20, 160L * GROUPS * KEYS)).withHugePages(false));
    private final KeyedMemory memoryOfKeys = new KeyedMemory(1L << 30, KeyedLimits.none());
    private final List<KeyedGroup> groups = new ArrayList<>();
    private final Random random = new Random(3);
    private long keyNumber;
    private long contentBytes;

    @AfterEach
    void close() {
        groups.forEach(KeyedGroup::close);
        owner.close();
        memory.close();
    }

    private byte[] newKey() {
        return ByteBuffer.allocate(KEY_BYTES)
                .putLong(keyNumber++ * 0x9E3779B97F4A7C15L)
                .putLong(keyNumber)
                .array();
    }

    private byte[] entry(byte[] key) {
        int value = 16 + random.nextInt(113);
        contentBytes += KEY_BYTES + value;
        return EntryBytes.of(key, ValueType.STRING, new byte[value], KeyEntry.NEVER);
    }

    private void add(KeyedGroup group) {
        byte[] key = newKey();
        byte[] bytes = entry(key);
        long hash = group.hash(key);
        group.makeRoom(hash);
        int lid = group.freeLid();
        long cost = group.cost(lid, bytes.length);
        memory.insert(group.cid(lid), MemorySegment.ofArray(bytes), 0, bytes.length);
        group.added(hash, lid, KeyEntry.NEVER);
        memoryOfKeys.add(cost);
        group.counts(cost);
    }

    private void replace(KeyedGroup group, int lid) {
        assertThat(group.read(lid)).isTrue();
        int before = group.entryBytes();
        contentBytes -= before - 1;
        byte[] bytes = entry(group.key());
        memory.replace(group.cid(lid), MemorySegment.ofArray(bytes), 0, bytes.length);
        memoryOfKeys.add(bytes.length - before);
        group.counts(bytes.length - before);
    }

    private void remove(KeyedGroup group, int lid) {
        assertThat(group.read(lid)).isTrue();
        contentBytes -= group.entryBytes() - 1;
        memory.delete(group.cid(lid));
        group.removed(group.hash(group.key()), lid, false);
    }

    private void load() {
        for (int i = 0; i < GROUPS; i++) {
            groups.add(new KeyedGroup(
                    SlotGroup.nid(i), 1, 2 * KEYS + 2, owner.zone(B), memory, memoryOfKeys, random.nextLong()));
        }
        for (int i = 0; i < GROUPS * KEYS; i++) {
            add(groups.get(i % GROUPS));
        }
    }

    private void churn() {
        for (int i = 0; i < GROUPS * KEYS; i++) {
            KeyedGroup group = groups.get(random.nextInt(GROUPS));
            int lid = 1 + random.nextInt(KEYS);
            if (random.nextInt(7) < 2) {
                if (group.lidAtOrAfter(lid) == lid) {
                    remove(group, lid);
                    add(group);
                }
            } else if (random.nextInt(10) < 7 && group.lidAtOrAfter(lid) == lid) {
                replace(group, lid);
            }
        }
    }

    /** Prints the account, and returns how many bytes of a key are in use beside key and value. */
    private double account(String when) {
        MemoryStatistics now = memory.statistics();
        FragmentationStatistics free = memory.fragmentation();
        double keys = GROUPS * (double) KEYS;
        var parts = new TreeMap<String, Double>();
        parts.put("1 head of the entry", (now.payloadBytes() - contentBytes) / keys);
        parts.put("2 index", memoryOfKeys.indexBytes() / keys);
        parts.put("3 tables and groups", now.tableBytes() / keys);
        parts.put("4 blocks", now.blockBytes() / keys);
        parts.put("5 header, heap", (now.headerBytes() + now.heapBytes()) / keys);
        parts.put("6 LIDs in use", 1.0 / Byte.SIZE);
        double used = parts.values().stream().mapToDouble(Double::doubleValue).sum();
        parts.put("7 used", used);
        parts.put("8 free in pieces", (free.freeBytes() - free.whollyFreeBytes()) / keys);
        parts.put("9 own count", (memoryOfKeys.usedBytes() - contentBytes) / keys);
        parts.forEach((part, bytes) ->
                System.out.printf(Locale.ROOT, "%s, %d keys: %s %.3f%n", when, (long) keys, part, bytes));
        return used;
    }

    @Test
    void bytesOfAKey_afterLoadingAndChurn_areFewAndCounted() {
        load();
        check("loaded", 6.1, 0.3);
        for (int round = 1; round <= ROUNDS; round++) {
            churn();
        }
        // Groups keep some room for changes, which does not count, as what is free between them does not.
        check("churned", 7, 1);
        groups.getFirst().verify();
        assertThat(memory.verify().violations()).isEmpty();
    }

    private void check(String when, double most, double notCounted) {
        double used = account(when);
        assertThat(used).isLessThan(most);
        double counted = (memoryOfKeys.usedBytes() - contentBytes) / (GROUPS * (double) KEYS);
        assertThat(counted).isBetween(used - notCounted, used + 0.3);
    }
}
