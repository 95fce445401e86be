package dev.granary.net.message;

/**
 * A message without content.
 */
public record Empty() implements Message {}
