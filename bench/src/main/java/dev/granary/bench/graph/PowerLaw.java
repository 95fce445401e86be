package dev.granary.bench.graph;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A graph in which a few objects are referred to by very many, and those to which one refers refer to each other (P.
 * Holme and B. Kim, Growing scale-free networks with tunable clustering, 2002, with directed references).
 */
public final class PowerLaw {

    /** How often an object refers to what its last reference refers to. */
    private static final double FRIENDS_OF_FRIENDS = 0.8;

    private PowerLaw() {}

    /**
     * Returns for each object those that it refers to, each once; all have smaller numbers. The same arguments give the
     * same graph.
     *
     * @param fanout references of an object; the first ones have fewer
     */
    public static int[][] references(int objects, int fanout) {
        SplittableRandom random = new SplittableRandom(1);
        int[][] references = new int[objects][];
        // Each object stands here once, and once more for each reference to it.
        int[] ends = new int[objects * (1 + fanout)];
        int size = 0;
        for (int object = 0; object < objects; object++) {
            Set<Integer> chosen = new LinkedHashSet<>();
            int last = -1;
            while (chosen.size() < Math.min(fanout, object)) {
                int[] friends = last < 0 ? new int[0] : references[last];
                last = friends.length > 0 && random.nextDouble() < FRIENDS_OF_FRIENDS
                        ? friends[random.nextInt(friends.length)]
                        : ends[random.nextInt(size)];
                chosen.add(last);
            }
            references[object] = chosen.stream().mapToInt(Integer::intValue).toArray();
            ends[size++] = object;
            for (int other : references[object]) {
                ends[size++] = other;
            }
        }
        return references;
    }
}
