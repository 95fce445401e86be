package dev.granary.cli.graph;

/** Listens to the progress of long work on chunks. Many threads call it at once. */
@FunctionalInterface
public interface ChunkProgress {

    /** Reports that {@code chunks} more chunks are done. */
    void advance(long chunks);
}
