package dev.granary.cli.graph;

/** Hears how far long work on chunks is. Called from many threads at once. */
@FunctionalInterface
public interface ChunkProgress {

    /** This many more chunks are done. */
    void advance(long chunks);
}
