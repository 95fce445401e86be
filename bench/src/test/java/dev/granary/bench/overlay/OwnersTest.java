package dev.granary.bench.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each structure behind {@link Owners} knows the same: otherwise their bytes and times could not be compared. */
class OwnersTest {

    private static final int CHUNKS = 2_000;

    static Stream<Supplier<Owners>> structures() {
        return Stream.of(Owners.Tree::new, Owners.JavaHash::new, Owners.JavaTree::new, Owners.PrimitiveHash::new);
    }

    @ParameterizedTest
    @MethodSource("structures")
    void ownerOf_afterInsertsAndMigrations_isTheLastOne(Supplier<Owners> maker) {
        Owners owners = maker.get();
        int[] model = new int[CHUNKS];
        for (int from = 0; from < CHUNKS; from += 10) {
            int owner = from / 10 % Owners.OWNERS;
            owners.insert(Chunks.cid(from), 10, owner);
            Arrays.fill(model, from, from + 10, owner);
        }
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 500; i++) {
            int chunk = random.nextInt(CHUNKS);
            int owner = random.nextInt(Owners.OWNERS);
            owners.migrate(Chunks.cid(chunk), owner);
            model[chunk] = owner;
        }
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            assertThat(owners.ownerOf(Chunks.cid(chunk))).as("chunk %d", chunk).isEqualTo(Owners.nid(model[chunk]));
        }
    }

    @ParameterizedTest
    @MethodSource("structures")
    void ownerOf_chunkWithoutOwner_isNone(Supplier<Owners> maker) {
        Owners owners = maker.get();
        assertThat(owners.ownerOf(Chunks.cid(5))).isEqualTo(Nid.NONE);
        owners.insert(Chunks.cid(5), 1, 2);
        assertThat(owners.ownerOf(Chunks.cid(5))).isEqualTo(Owners.nid(2));
        assertThat(owners.ownerOf(Chunks.cid(4))).isEqualTo(Nid.NONE);
        assertThat(owners.ownerOf(Chunks.cid(6))).isEqualTo(Nid.NONE);
    }

    /** That is what the comparison is about. */
    @Test
    void entries_oneRangeOfManyChunks_isOneInTheTreeAndOneForEachChunkInMaps() {
        structures().map(Supplier::get).forEach(owners -> {
            owners.insert(Chunks.cid(0), 1_000, 0);
            boolean isTree = owners instanceof Owners.Tree;
            assertThat(owners.entries()).isEqualTo(isTree ? 1 : 1_000);
            assertThat(owners.countedBytes() > 0).isEqualTo(isTree);
        });
    }

    /** A tree that could share a placement among zones would look smaller than it is in a cluster. */
    @Test
    void placement_manyZones_eachHasBackupsOfItsOwnThatAreNotTheOwner() {
        Set<String> different = new HashSet<>();
        for (int zone = 1; zone <= 1_000; zone++) {
            Placement placement = Owners.Tree.placement(zone % 10, zone);
            assertThat(placement.backups()).hasSize(Placement.MAX_BACKUPS).doesNotContain(placement.owner());
            assertThat(Arrays.stream(placement.backups()).distinct()).hasSize(Placement.MAX_BACKUPS);
            different.add(Arrays.toString(placement.backups()));
        }
        assertThat(different).hasSizeGreaterThan(500);
    }

    @Test
    void insertZone_zone_belongsToItsOwner() {
        Owners.Tree tree = new Owners.Tree();
        tree.insertZone(Chunks.cid(0), 100, 3, 7);
        tree.insertZone(Chunks.cid(100), 100, 4, 8);
        assertThat(tree.ownerOf(Chunks.cid(99))).isEqualTo(Owners.nid(3));
        assertThat(tree.ownerOf(Chunks.cid(100))).isEqualTo(Owners.nid(4));
        assertThat(tree.entries()).isEqualTo(2);
    }
}
