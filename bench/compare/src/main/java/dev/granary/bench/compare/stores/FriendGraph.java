package dev.granary.bench.compare.stores;

import dev.granary.bench.graph.PowerLaw;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Who is whose friend at the beginning: members are numbers from 0, and friendship goes both ways. Immutable. */
final class FriendGraph {

    /** Friends that a new member makes; each member has twice as many on average. */
    private static final int NEW_FRIENDS = 5;

    private final long[][] friends;

    private FriendGraph(List<Set<Long>> friends) {
        this.friends = friends.stream()
                .map(each -> each.stream().mapToLong(Long::longValue).toArray())
                .toArray(long[][]::new);
    }

    /** Returns a graph in which a few have very many friends, and friends of a member know each other. */
    static FriendGraph powerLaw(int members) {
        List<Set<Long>> friends = empty(members);
        int[][] references = PowerLaw.references(members, NEW_FRIENDS);
        for (int member = 0; member < members; member++) {
            for (int other : references[member]) {
                var _ = befriend(friends, member, other);
            }
        }
        return new FriendGraph(friends);
    }

    /** Reads a graph from a file with two members in each line, and leaves members out whose number is too high. */
    static FriendGraph read(Path file, int members) throws IOException {
        List<Set<Long>> friends = empty(members);
        for (String line : Files.readAllLines(file)) {
            String[] pair = line.split(" ", -1);
            int one = Integer.parseInt(pair[0]);
            int other = Integer.parseInt(pair[1]);
            if (one < members && other < members && one != other) {
                var _ = befriend(friends, one, other);
            }
        }
        return new FriendGraph(friends);
    }

    private static List<Set<Long>> empty(int members) {
        List<Set<Long>> friends = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            friends.add(new TreeSet<>());
        }
        return friends;
    }

    private static boolean befriend(List<Set<Long>> friends, int one, int other) {
        return friends.get(one).add((long) other) && friends.get(other).add((long) one);
    }

    int members() {
        return friends.length;
    }

    /** The friends of a member, ascending. Not to be changed. */
    long[] friends(int member) {
        return friends[member];
    }
}
