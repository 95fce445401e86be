package dev.granary.operator.backup;

import dev.granary.operator.api.backup.TransferStatus.Progress;
import org.jspecify.annotations.Nullable;

/** Asks a Job's pod for its progress. */
@FunctionalInterface
public interface ProgressReader {
    /** Returns the progress of the pod with this address, {@code null} when it does not answer now. */
    @Nullable
    Progress ask(String address);
}
