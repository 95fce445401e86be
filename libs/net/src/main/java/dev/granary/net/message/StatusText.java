package dev.granary.net.message;

import dev.granary.schema.LongText;

/**
 * What a super-peer tells as a JSON object: the status of the whole cluster (docs/formats/status.md), or the plans or
 * the work of the arcs that it serves.
 */
public record StatusText(@LongText String json) implements Message {}
