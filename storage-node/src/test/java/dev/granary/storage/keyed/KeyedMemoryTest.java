package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.keyed.KeyspaceFullException;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import org.junit.jupiter.api.Test;

class KeyedMemoryTest {

    private final KeyedLimits limits = KeyedLimits.none();
    private final KeyedMemory memory = new KeyedMemory(1_000, limits);

    @Test
    void take_beyondTheLimit_takesNothing() {
        assertThat(memory.take(1L << 40)).isTrue();
        memory.give(1L << 40);
        limits.wantedBytes(100);
        assertThat(memory.take(60)).isTrue();
        assertThat(memory.take(41)).isFalse();
        assertThat(memory.hasRoom(40)).isTrue();
        assertThat(memory.take(40)).isTrue();
        assertThat(memory.hasRoom(1)).isFalse();
        assertThat(memory.usedBytes()).isEqualTo(100);
    }

    @Test
    void loan_isTakenFromFirstAndWhatIsLeftGoesBack() {
        limits.wantedBytes(100);
        assertThat(memory.take(60)).isTrue();
        try (KeyedLoan loan = new KeyedLoan(memory, 60)) {
            assertThat(loan.take(50)).isTrue();
            assertThat(memory.usedBytes()).isEqualTo(60);
            assertThat(loan.take(60)).isFalse();
            assertThat(loan.take(30)).isTrue();
            assertThat(memory.usedBytes()).isEqualTo(80);
            loan.back(20);
            assertThat(memory.usedBytes()).isEqualTo(80);
        }
        assertThat(memory.usedBytes()).isEqualTo(60);
        try (KeyedLoan nothing = new KeyedLoan(memory, 0)) {
            assertThat(nothing.take(40)).isTrue();
            nothing.back(10);
            assertThat(memory.usedBytes()).isEqualTo(90);
        }
        assertThat(memory.usedBytes()).isEqualTo(90);
    }

    @Test
    void limit_besideChunks_countsOnlyWhileKeysAreEvicted() {
        limits.wantedBytes(100);
        memory.besideChunks(50);
        assertThat(memory.limitBytes()).isEqualTo(100);
        limits.policy(EvictionPolicy.ALLKEYS_LRU);
        assertThat(memory.limitBytes()).isEqualTo(50);
        memory.besideChunks(-1);
        assertThat(memory.limitBytes()).isZero();
    }

    @Test
    void takeIndex_hasItsOwnBoundAndCountsForTheLimit() {
        limits.wantedBytes(100);
        memory.takeIndex(1_000, KeyedMemory.Lender.NONE);
        assertThat(memory.usedBytes()).isEqualTo(1_000);
        assertThat(memory.take(1)).isFalse();
        assertThatThrownBy(() -> memory.takeIndex(1, KeyedMemory.Lender.NONE))
                .isInstanceOf(KeyspaceFullException.class)
                .hasMessageContaining("1000 bytes");
        memory.giveIndex(1_000, KeyedMemory.Lender.NONE);
        memory.add(500);
        assertThat(memory.indexBytes()).isZero();
        assertThat(memory.usedBytes()).isEqualTo(500);
    }

    @Test
    void takeIndex_beyondThePlan_isSetAsideOfChunkMemoryAndGivenBack() {
        try (ChunkMemory chunks = ChunkMemories.open(ChunkMemoryConfig.of(1, 4 << 20))) {
            KeyedMemory.Lender lender = KeyedMemory.Lender.of(chunks);
            long before = chunks.statistics().usedBytes();
            memory.takeIndex(1_000, lender);
            assertThat(chunks.statistics().usedBytes()).isEqualTo(before);
            memory.takeIndex(1 << 20, KeyedMemory.Lender.of(chunks));
            assertThat(memory.plannedIndexBytes()).isEqualTo(1_000);
            assertThat(chunks.statistics().usedBytes()).isEqualTo(before + (1 << 20));
            assertThatThrownBy(() -> memory.takeIndex(4 << 20, lender)).isInstanceOf(KeyspaceFullException.class);
            assertThat(chunks.statistics().usedBytes()).isEqualTo(before + (1 << 20));
            assertThat(memory.indexBytes()).isEqualTo(1_000 + (1 << 20));

            memory.giveIndex(1 << 20, lender);
            assertThat(chunks.statistics().usedBytes()).isEqualTo(before);
            memory.giveIndex(1_000, lender);
            assertThat(memory.usedBytes()).isZero();
        }
    }

    @Test
    void takeIndex_ofAnotherChunkMemory_isSetAsideThere() {
        try (ChunkMemory one = ChunkMemories.open(ChunkMemoryConfig.of(1, 4 << 20));
                ChunkMemory other = ChunkMemories.open(ChunkMemoryConfig.of(1, 4 << 20))) {
            long before = other.statistics().usedBytes();
            memory.takeIndex(1 << 20, KeyedMemory.Lender.of(one));
            memory.takeIndex(1_000, KeyedMemory.Lender.of(other));
            assertThat(other.statistics().usedBytes()).isEqualTo(before + (1 << 20));
        }
    }
}
