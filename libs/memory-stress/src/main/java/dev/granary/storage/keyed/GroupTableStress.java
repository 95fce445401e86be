package dev.granary.storage.keyed;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Threads that find the keys of one slot group at the same time. Each makes an index from the chunks, as {@link
 * KeyedGroups} does; the index that is known at the end has every key that was acknowledged.
 */
public final class GroupTableStress {

    private static final int GROUP = 3;

    private GroupTableStress() {}

    /** The keys of a group. Not volatile: what publishes it is the table. */
    static final class Index {
        int key;
    }

    /** A group with a chunk for one key, which is not there in the beginning. */
    public abstract static class Group {

        private final GroupTable<Index> table = new GroupTable<>();

        /** Whether the chunk of the key is there. */
        volatile int chunk;

        /** Finds the keys of the group, unless another one does or did. */
        final void find() {
            Index index = new Index();
            if (table.isFree(GROUP) && table.begin(GROUP, index)) {
                index.key = chunk;
                table.know(GROUP, index);
            }
        }

        /** Stores the key where keys are known; returns 1 for a key that is acknowledged. */
        final int store() {
            Index index = table.known(GROUP);
            if (index == null) {
                return 0;
            }
            chunk = 1;
            index.key = 1;
            return 1;
        }

        /** Returns 1 when the key is found, 0 when it is not, or -1 when keys are not known. */
        final int lookUp() {
            Index index = table.known(GROUP);
            return index == null ? -1 : index.key;
        }
    }

    /** The race that lost a key on a real cluster. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The key was stored, and is found.")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The keys were not known yet: nothing was stored.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A key that was acknowledged is gone.")
    @State
    public static class TwoFindTheKeys extends Group {

        /** Finds the keys, and stores one. */
        @Actor
        public void findAndStore(II_Result result) {
            find();
            result.r1 = store();
        }

        /** Finds the keys, too. */
        @Actor
        public void findToo() {
            find();
        }

        /** Looks the key up when both have ended. */
        @Arbiter
        public void lookUp(II_Result result) {
            result.r2 = lookUp();
        }
    }

    /** Who sees that keys are known sees the keys. */
    @JCStressTest
    @Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "Not known yet.")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Known, with the key.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Known, without a key that was there before.")
    @State
    public static class KnownKeysArePublished extends Group {

        /** Begins with the chunk of the key. */
        public KnownKeysArePublished() {
            chunk = 1;
        }

        /** Finds the keys. */
        @Actor
        public void findKeys() {
            find();
        }

        /** Looks the key up. */
        @Actor
        public void read(I_Result result) {
            result.r1 = lookUp();
        }
    }
}
