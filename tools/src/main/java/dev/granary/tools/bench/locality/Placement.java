package dev.granary.tools.bench.locality;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Ways to choose a storage peer for each object. Peers are numbers from 0 and get about equally many objects. */
enum Placement {
    /** On one drawn at random. */
    ANYWHERE("anywhere") {
        @Override
        int[] of(int[][] references, int peers) {
            int[] placed = new int[references.length];
            Arrays.setAll(placed, object -> object % peers);
            SplittableRandom random = new SplittableRandom(1);
            for (int i = placed.length - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int peer = placed[i];
                placed[i] = placed[other];
                placed[other] = peer;
            }
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
            int[] order = neighbours.breadthFirst();
            int[] placed = new int[references.length];
            Arrays.fill(placed, NOWHERE);
            double room = Math.max(1, ROOM * references.length / peers);
            for (int pass = 0; pass < PASSES; pass++) {
                int[] sizes = new int[peers];
                for (int object : order) {
                    int peer = neighbours.best(object, placed, sizes, room);
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

    /** Returns the peer of each object. */
    abstract int[] of(int[][] references, int peers);

    /** For each object those that it refers to and that refer to it, one after the other, and where each begins. */
    private static final class Neighbours {

        private final int[] begins;
        private final int[] all;

        private Neighbours(int[] begins, int[] all) {
            this.begins = begins;
            this.all = all;
        }

        static Neighbours of(int[][] references) {
            int[] begins = new int[references.length + 1];
            for (int object = 0; object < references.length; object++) {
                begins[object + 1] += references[object].length;
                for (int other : references[object]) {
                    begins[other + 1]++;
                }
            }
            Arrays.parallelPrefix(begins, Integer::sum);
            int[] next = begins.clone();
            int[] all = new int[begins[references.length]];
            for (int object = 0; object < references.length; object++) {
                for (int other : references[object]) {
                    all[next[object]++] = other;
                    all[next[other]++] = object;
                }
            }
            return new Neighbours(begins, all);
        }

        int[] breadthFirst() {
            int[] order = new int[begins.length - 1];
            boolean[] seen = new boolean[order.length];
            int count = 0;
            int looked = 0;
            for (int first = 0; first < order.length; first++) {
                if (!seen[first]) {
                    seen[first] = true;
                    order[count++] = first;
                }
                for (; looked < count; looked++) {
                    int object = order[looked];
                    for (int i = begins[object]; i < begins[object + 1]; i++) {
                        if (!seen[all[i]]) {
                            seen[all[i]] = true;
                            order[count++] = all[i];
                        }
                    }
                }
            }
            return order;
        }

        /** Returns the peer with most of an object's neighbours, by how much of its room is left. */
        int best(int object, int[] placed, int[] sizes, double room) {
            int[] there = new int[sizes.length];
            for (int i = begins[object]; i < begins[object + 1]; i++) {
                if (placed[all[i]] != NOWHERE) {
                    there[placed[all[i]]]++;
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
    }

    @Override
    public String toString() {
        return text;
    }
}
