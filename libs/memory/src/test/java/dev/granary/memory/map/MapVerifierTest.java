package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damages a map in one place after the other, and repairs it. */
class MapVerifierTest {

    private final MapRig rig = new MapRig();
    private long group;
    private long word;
    private long block;

    @BeforeEach
    void fill() {
        for (int i = 0; i < 1000; i++) {
            rig.put("key " + i, "v".repeat(i % 50));
        }
        rig.put("large", "x".repeat(40_000));
        group = rig.directory.groupOf(rig.hash("key 1"));
        word = rig.directory.block(group);
        block = MapBlockSizes.address(word);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void verify_soundMap_countsEntriesAndBlocks() {
        OffHeapMapReport report = new MapVerifier(rig.parts).verify();
        assertThat(report.violations()).isEmpty();
        assertThat(report.entries()).isEqualTo(1001);
        int blocks = 3;
        for (long i = 0; i < rig.directory.groups(); i++) {
            blocks += rig.directory.block(i) == 0 ? 0 : 1;
        }
        assertThat(report.blocks()).isEqualTo(blocks);
        rig.slabs.free(rig.slabs.allocate(MapBlockSizes.classFor(200)));
        assertThat(new MapVerifier(rig.parts).verify().freeBlocks()).isGreaterThanOrEqualTo(report.freeBlocks());
    }

    @Test
    void verify_latchIsHeld_isFound() {
        rig.directory.latchGroup(group);
        assertFound("group " + group + " is latched");
        rig.directory.unlatchUnchanged(group);
    }

    @Test
    void verify_countersAreWrong_isFound() {
        rig.parts.counters().add(group, 1, 0);
        assertFound("1001 entries, counted were 1002");
        rig.parts.counters().add(group, -1, 3);
        assertFound("B of payload, counted were");
        rig.parts.counters().add(group, 0, -3);
    }

    @Test
    void verify_groupHasNoBlock_entriesAreMissed() {
        rig.directory.setBlock(group, 0);
        assertFound("entries, counted were 1001");
        rig.directory.setBlock(group, word);
    }

    @Test
    void verify_blockIsElsewhere_isFound() {
        rig.directory.setBlock(group, word + 1);
        assertFound("group " + group + " has a block that is in no slab of its class");
        rig.directory.setBlock(group, MapBlockSizes.word(block + 8, MapBlockSizes.sizeClass(word)));
        assertFound("group " + group + " has a block where none begins");
        rig.directory.setBlock(group, word);
        rig.directory.setBlock(rig.directory.groups(), word);
        assertFound("there is a block behind the last group");
        rig.directory.setBlock(rig.directory.groups(), 0);
    }

    @Test
    void verify_blocksAreExchanged_entriesBelongToOtherGroups() {
        long other = (group + 1) % rig.directory.groups();
        long otherWord = rig.directory.block(other);
        rig.directory.setBlock(group, otherWord);
        rig.directory.setBlock(other, word);
        assertFound("of group " + group + " belongs to another group");
        rig.directory.setBlock(group, word);
        rig.directory.setBlock(other, otherWord);
    }

    @Test
    void verify_headerIsWrong_isFound() {
        long header = rig.memory.word(block);
        rig.memory.setWord(block, header & ~3L);
        assertFound("group " + group + " has a block that is no group");
        rig.memory.setWord(block, header + (1L << 42));
        assertFound("the lengths in group " + group + " do not add up to its data");
        rig.memory.setWord(block, header | 0x1_ffffL << 42);
        assertFound("the columns of group " + group + " reach into its data");
        rig.memory.setWord(block, header);
    }

    @Test
    void verify_fingerprintOrKeyIsWrong_isFound() {
        long header = rig.memory.word(block);
        long fingerprint = block + MapGroup.fingerprints(header);
        long before = rig.memory.number(fingerprint, 1);
        rig.memory.setNumber(fingerprint, 1, before + 1);
        assertFound("entry 0 of group " + group + " has another fingerprint");
        rig.memory.setNumber(fingerprint, 1, before);

        long key = block + MapBlockSizes.sizeOf(word) - MapGroup.dataBefore(rig.memory, block, header, 1);
        long firstByte = rig.memory.number(key, 1);
        rig.memory.setNumber(key, 1, 'K');
        assertFound("entry 0 of group " + group);
        rig.memory.setNumber(key, 1, firstByte);
    }

    @Test
    void verify_keyIsThereTwice_isFound() {
        rig.append(rig.entry("key 1", "again"));
        assertFound("of group " + group + " has the key of entry");
        rig.remove("key 1");
    }

    @Test
    void verify_chainIsDamaged_isFound() {
        long owner = rig.directory.groupOf(rig.hash("large"));
        long ownerWord = rig.directory.block(owner);
        long end = MapBlockSizes.address(ownerWord) + MapBlockSizes.sizeOf(ownerWord);
        long header = rig.memory.word(MapBlockSizes.address(ownerWord));
        int index = rig.indexOf("large");
        long forward = end - MapGroup.dataBefore(rig.memory, MapBlockSizes.address(ownerWord), header, index + 1);
        long first = MapChains.first(rig.memory, forward);
        long second = MapChains.next(rig.memory, first);

        MapChains.setNext(rig.memory, first, 0);
        assertFound("has a chain of");
        MapChains.setNext(rig.memory, first, second);
        long piece = MapBlockSizes.address(second);
        long pieceHeader = rig.memory.word(piece);
        rig.memory.setWord(piece, pieceHeader & ~3L);
        assertFound("group " + owner + " has a broken chain");
        rig.memory.setWord(piece, pieceHeader);
        long hash = rig.memory.word(piece + 16);
        rig.memory.setWord(piece + 16, hash + 1);
        assertFound("group " + owner + " has a chain of different hashes");
        rig.memory.setWord(piece + 16, hash);
    }

    @Test
    void verify_timesThatCannotBe_areFound() {
        rig.put("key 1", "value", MapRig.LATER);
        long expiring = MapBlockSizes.address(rig.directory.block(group));
        MapExpiries.setBase(rig.memory, expiring, 0);
        assertFound("group " + group + " has times from no time on");
        MapExpiries.setBase(rig.memory, expiring, Long.MIN_VALUE);
        assertFound("of group " + group + " expires at no time");
        MapExpiries.setBase(rig.memory, expiring, MapRig.LATER);
    }

    @Test
    void verify_blockThatNobodyHas_isFound() {
        long lost = rig.slabs.allocate(MapBlockSizes.classFor(4096));
        assertFound("blocks, used are");
        rig.slabs.free(lost);
    }

    private void assertFound(String violation) {
        assertThat(rig.violations()).anyMatch(found -> found.contains(violation));
    }
}
