package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NidAllocatorTest {

    private static UUID disk(long number) {
        return new UUID(0, number);
    }

    @Test
    void allocate_newDisksOfBothRoles_getTheNextNidOfTheirRole() {
        NidAllocator allocator = new NidAllocator();
        assertThat(allocator.allocate(disk(1), NodeRole.SUPER_PEER)).isEqualTo(0x0001);
        assertThat(allocator.allocate(disk(2), NodeRole.STORAGE_PEER)).isEqualTo(0x8000);
        assertThat(allocator.allocate(disk(3), NodeRole.SUPER_PEER)).isEqualTo(0x8001);
        assertThat(allocator.allocate(disk(4), NodeRole.STORAGE_PEER)).isEqualTo(0x4000);
    }

    @Test
    void allocate_knownDisk_getsItsOldNid() {
        NidAllocator allocator = new NidAllocator();
        allocator.allocate(disk(1), NodeRole.STORAGE_PEER);
        allocator.allocate(disk(2), NodeRole.STORAGE_PEER);
        assertThat(allocator.allocate(disk(1), NodeRole.STORAGE_PEER)).isEqualTo(0x8000);
        assertThat(allocator.find(disk(2))).hasValue(0x4000);
        assertThat(allocator.find(disk(9))).isEmpty();
        assertThat(allocator.assignments()).hasSize(2);
        assertThatThrownBy(() -> allocator.allocate(disk(1), NodeRole.SUPER_PEER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0x8000");
    }

    @Test
    void restore_savedAssignments_continuesWhereTheyEnded() {
        NidAllocator allocator = new NidAllocator();
        allocator.allocate(disk(1), NodeRole.SUPER_PEER);
        allocator.allocate(disk(2), NodeRole.STORAGE_PEER);
        NidAllocator restored = NidAllocator.restore(allocator.assignments());
        assertThat(restored.assignments()).isEqualTo(allocator.assignments());
        assertThat(restored.allocate(disk(3), NodeRole.STORAGE_PEER)).isEqualTo(0x4000);
        assertThat(restored.allocate(disk(1), NodeRole.SUPER_PEER)).isEqualTo(0x0001);
    }

    @Test
    void restore_impossibleAssignments_areRefused() {
        NidAllocator.Assignment first = new NidAllocator.Assignment(disk(1), 0x8000);
        assertThatThrownBy(() -> NidAllocator.restore(List.of(first, first))).hasMessageContaining("0x8000");
        assertThatThrownBy(() -> NidAllocator.restore(List.of(new NidAllocator.Assignment(disk(1), 0x4000))))
                .hasMessageContaining("0x4000");
    }

    @Test
    void restore_nidOfASlotGroup_isRefused() {
        NidAllocator allocator = new NidAllocator();
        for (int k = 1; k < SlotGroup.END_OF_PEERS; k++) {
            allocator.allocate(disk(k), NodeRole.STORAGE_PEER);
        }
        List<NidAllocator.Assignment> given = new ArrayList<>(allocator.assignments());
        given.add(new NidAllocator.Assignment(disk(99_999), SlotGroup.nid(SlotGroup.COUNT - 1)));
        assertThatThrownBy(() -> NidAllocator.restore(given)).hasMessageContaining("slot groups");
    }

    @Test
    void allocate_allNidsOfARoleGiven_isRefused() {
        NidAllocator allocator = new NidAllocator();
        for (int k = 1; k < SlotGroup.END_OF_PEERS; k++) {
            assertThat(SlotGroup.isGroup(allocator.allocate(disk(k), NodeRole.STORAGE_PEER)))
                    .isFalse();
        }
        assertThatThrownBy(() -> allocator.allocate(disk(99_999), NodeRole.STORAGE_PEER))
                .hasMessageContaining("all NIDs of the role STORAGE_PEER are given: 32511, for the last 256 belong");
        assertThat(allocator.allocate(disk(99_999), NodeRole.SUPER_PEER)).isEqualTo(1);
    }
}
