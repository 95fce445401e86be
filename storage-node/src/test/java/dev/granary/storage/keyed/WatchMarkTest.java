package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.Zones;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an owner knows of a slot group, with real chunk memory. */
class WatchMarkTest {

    private static final int GROUP = SlotGroup.nid(7);
    private static final int LIMIT = 1 << 10;
    private static final byte[] KEY = "key".getBytes(StandardCharsets.UTF_8);

    private final KeyedMemory indexes = new KeyedMemory(1 << 20, KeyedLimits.none());
    private final ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(2, 16 << 20));

    @AfterEach
    void close() {
        memory.close();
    }

    /** Returns the group as an owner gets it: in a zone in which nothing has changed yet. */
    private KeyedGroup owned(long seed) {
        Placement placement = new Placement(2, new int[0], 1, BackupZone.id(GROUP, 1), PlacementState.IN_SYNC);
        OwnedZone zone = Objects.requireNonNull(
                Zones.of(List.of(new CidRange(Cid.firstOf(GROUP), Cid.of(GROUP, LIMIT - 1), placement)))
                        .byId(placement.zone()));
        return new KeyedGroup(GROUP, 1, LIMIT, zone, memory, indexes, seed);
    }

    private static long watchAndChange(KeyedGroup group, int changes) {
        long hash = group.hash(KEY);
        group.zone().lock();
        try {
            long before = group.watchMark(hash);
            for (int i = 0; i < changes; i++) {
                GroupKeyspace keys = new GroupKeyspace(group, 0, false);
                keys.put(KEY, ValueType.STRING, new byte[] {(byte) i}, KeyEntry.NEVER);
                group.zone().append(null, false);
            }
            assertThat(group.watchMark(hash) != before).isEqualTo(changes > 0);
            return group.watchMark(hash);
        } finally {
            group.zone().unlock();
        }
    }

    @Test
    void watchMark_ofAnotherOwnerWithAsManyChanges_isAnother() {
        try (KeyedGroup first = owned(11);
                KeyedGroup next = owned(12)) {
            long mark = watchAndChange(first, 3);
            memory.delete(Cid.firstOf(GROUP));
            assertThat(watchAndChange(next, 3)).isNotEqualTo(mark);
        }
    }

    @Test
    void watchMark_withoutAChange_staysTheSame() {
        try (KeyedGroup group = owned(11)) {
            assertThat(watchAndChange(group, 0)).isEqualTo(watchAndChange(group, 0));
        }
    }
}
