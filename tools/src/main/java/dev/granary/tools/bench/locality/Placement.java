package dev.granary.tools.bench.locality;

import dev.granary.bench.graph.Neighbours;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Ways to choose a storage peer for each object. Peers are numbers from 0 and get about equally many objects. */
enum Placement {
    /** On one drawn at random. */
    ANYWHERE("anywhere") {
        @Override
        int[] of(int[][] references, int peers) {
            int[] placed = new int[references.length];
            Arrays.setAll(placed, object -> object % peers);
            shuffle(placed, 1);
            return placed;
        }
    },
    /**
     * Where most of those are that it refers to or that refer to it, and where there is room: linear deterministic
     * greedy (I. Stanton and G. Kliot, Streaming Graph Partitioning for Large Distributed Graphs, 2012), several times
     * over (J. Nishimura and J. Ugander, Restreaming Graph Partitioning, 2013).
     */
    NEAR("near") {
        @Override
        int[] of(int[][] references, int peers) {
            Neighbours neighbours = Neighbours.of(references);
            int[] order = neighbours.breadthFirst(
                    IntStream.range(0, references.length).toArray());
            int[] placed = new int[references.length];
            Arrays.fill(placed, NOWHERE);
            double room = Math.max(1, ROOM * references.length / peers);
            for (int pass = 0; pass < PASSES; pass++) {
                int[] sizes = new int[peers];
                for (int object : order) {
                    int peer = best(neighbours, object, placed, sizes, room);
                    placed[object] = peer;
                    sizes[peer]++;
                }
            }
            return placed;
        }
    };

    private static final int NOWHERE = -1;
    private static final int PASSES = 10;

    /** How many objects a peer may have, as a multiple of its share. */
    private static final double ROOM = 1.05;

    private final String text;

    Placement(String text) {
        this.text = text;
    }

    /** Puts numbers into an order drawn at random, the same one for the same seed. */
    static void shuffle(int[] numbers, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = numbers.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int number = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = number;
        }
    }

    /** Returns the peer of each object. */
    abstract int[] of(int[][] references, int peers);

    /** Returns the peer with most of an object's neighbours, by how much of its room is left. */
    private static int best(Neighbours neighbours, int object, int[] placed, int[] sizes, double room) {
        int[] there = new int[sizes.length];
        for (int place = 0; place < neighbours.count(object); place++) {
            int peer = placed[neighbours.get(object, place)];
            if (peer != NOWHERE) {
                there[peer]++;
            }
        }
        int best = 0;
        double most = -1;
        for (int peer = 0; peer < sizes.length; peer++) {
            double worth = there[peer] * Math.max(0, 1 - sizes[peer] / room);
            if (worth > most || (worth == most && sizes[peer] < sizes[best])) {
                most = worth;
                best = peer;
            }
        }
        return best;
    }

    @Override
    public String toString() {
        return text;
    }
}
