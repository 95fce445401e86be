package dev.granary.superpeer.state.ring;

import dev.granary.overlay.NidAllocator;
import dev.granary.schema.I32;
import dev.granary.schema.Nullable;
import java.util.List;

/**
 * A snapshot of the ring, behind its version.
 *
 * @param nextGeneration the next number for an arc or an operation
 * @param view null while no ring was founded
 * @param given NIDs in the order in which they were given
 */
public record RingSnapshot(
        @I32 int nextGeneration, @Nullable RingView view, List<NidAllocator.Assignment> given) {}
