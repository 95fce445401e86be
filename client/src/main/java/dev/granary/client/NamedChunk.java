package dev.granary.client;

/** A name and the chunk for which it stands. */
public record NamedChunk(String name, long cid) {}
