package dev.granary.net.message;

import dev.granary.schema.LongText;

/**
 * The status of the whole cluster as the JSON object that docs/formats/status.md describes.
 */
public record StatusText(@LongText String json) implements Message {}
