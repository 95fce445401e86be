package dev.granary.client;

/** A name and the chunk that it stands for. */
public record NamedChunk(String name, long cid) {}
