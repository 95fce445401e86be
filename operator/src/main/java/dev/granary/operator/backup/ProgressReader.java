package dev.granary.operator.backup;

import dev.granary.operator.api.TransferStatus.Progress;
import org.jspecify.annotations.Nullable;

/** Asks a Job's pod how far it is. */
@FunctionalInterface
public interface ProgressReader {
    /** Returns how far the pod with this address is, {@code null} when it does not answer now. */
    @Nullable
    Progress ask(String address);
}
