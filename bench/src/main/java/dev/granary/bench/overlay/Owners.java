package dev.granary.bench.overlay;

import com.carrotsearch.hppc.LongShortHashMap;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.tree.CidTree;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The measured structures, which know the owner of each chunk. The maps know neither backups nor epochs. */
interface Owners {

    /** The number of owners. Chunks go to the first one, migrated chunks to the others. */
    int OWNERS = 6;

    /** Gives an owner to all CIDs of a span that had none. Owners are numbered from 0. */
    void insert(long firstCid, long count, int owner);

    /** The NID of the owner of a CID. */
    int ownerOf(long cid);

    /** Gives another owner to a CID. */
    void migrate(long cid, int owner);

    /** The number of entries. */
    long entries();

    /** The bytes that the structure reports, or 0 when it does not report them. */
    default long countedBytes() {
        return 0;
    }

    /** The NID of the owner with a number. */
    static int nid(int owner) {
        return Nid.storageNid(1 + owner);
    }

    /** The CID-tree: ranges with owner, three backups, zone and epoch. */
    final class Tree implements Owners {
        private final CidTree tree = new CidTree();

        @Override
        public void insert(long firstCid, long count, int owner) {
            tree.insert(firstCid, firstCid + count - 1, placement(owner, 1 + owner));
        }

        /** Inserts a range with its own zone. */
        void insertZone(long firstCid, long count, int owner, int zone) {
            tree.insert(firstCid, firstCid + count - 1, placement(owner, zone));
        }

        @Override
        public int ownerOf(long cid) {
            return CidTree.owner(tree.lookup(cid));
        }

        @Override
        public void migrate(long cid, int owner) {
            tree.migrate(cid, cid, placement(owner, 1 + owner));
        }

        @Override
        public long entries() {
            return tree.rangeCount();
        }

        @Override
        public long countedBytes() {
            return tree.footprintBytes();
        }

        /** The placement of a zone. Its backups are computed from the zone and look like a random placement. */
        static Placement placement(int owner, int zone) {
            int[] backups = new int[Placement.MAX_BACKUPS];
            for (int i = 0; i < backups.length; i++) {
                // Each backup is one of 30 peers. It is neither the owner nor another backup.
                backups[i] = Nid.storageNid(100 + 30 * i + Math.floorMod((zone * 0x9E3779B1) >>> (8 * i), 30));
            }
            return new Placement(nid(owner), backups, 1 + zone % 31, zone, PlacementState.IN_SYNC);
        }
    }

    /** The Java hash map with an entry for each chunk. */
    final class JavaHash implements Owners {
        private final Map<Long, Short> map = new HashMap<>();

        @Override
        public void insert(long firstCid, long count, int owner) {
            for (long i = 0; i < count; i++) {
                map.put(firstCid + i, (short) nid(owner));
            }
        }

        @Override
        public int ownerOf(long cid) {
            Short owner = map.get(cid);
            return owner == null ? Nid.NONE : Short.toUnsignedInt(owner);
        }

        @Override
        public void migrate(long cid, int owner) {
            map.put(cid, (short) nid(owner));
        }

        @Override
        public long entries() {
            return map.size();
        }
    }

    /** A red-black tree with an entry for each chunk. */
    final class JavaTree implements Owners {
        private final Map<Long, Short> map = new TreeMap<>();

        @Override
        public void insert(long firstCid, long count, int owner) {
            for (long i = 0; i < count; i++) {
                map.put(firstCid + i, (short) nid(owner));
            }
        }

        @Override
        public int ownerOf(long cid) {
            Short owner = map.get(cid);
            return owner == null ? Nid.NONE : Short.toUnsignedInt(owner);
        }

        @Override
        public void migrate(long cid, int owner) {
            map.put(cid, (short) nid(owner));
        }

        @Override
        public long entries() {
            return map.size();
        }
    }

    /** A hash map of primitive keys and values with an entry for each chunk. */
    final class PrimitiveHash implements Owners {
        private final LongShortHashMap map = new LongShortHashMap();

        @Override
        public void insert(long firstCid, long count, int owner) {
            for (long i = 0; i < count; i++) {
                map.put(firstCid + i, (short) nid(owner));
            }
        }

        @Override
        public int ownerOf(long cid) {
            return Short.toUnsignedInt(map.getOrDefault(cid, (short) 0));
        }

        @Override
        public void migrate(long cid, int owner) {
            map.put(cid, (short) nid(owner));
        }

        @Override
        public long entries() {
            return map.size();
        }
    }
}
