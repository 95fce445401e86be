package dev.granary.operator.status;

import dev.granary.operator.observe.VolumesView;
import dev.granary.operator.observe.VolumesView.State;
import dev.granary.operator.observe.VolumesView.Volume;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes the condition about volumes that are to be larger than they were made. */
final class Volumes {
    static final String VOLUMES_GROWN = "VolumesGrown";
    static final String EXPANSION_REFUSED = "ExpansionRefused";
    private static final String FILE_SYSTEM_RESIZE_PENDING = "FileSystemResizePending";

    /** The reasons with which a person may have to help. */
    static final Set<String> NEEDS_HELP = Set.of(EXPANSION_REFUSED, FILE_SYSTEM_RESIZE_PENDING);

    private Volumes() {}

    static Verdict grown(VolumesView view) {
        List<Volume> refused = view.in(State.REFUSED);
        if (!refused.isEmpty()) {
            return Verdict.no(
                    VOLUMES_GROWN,
                    EXPANSION_REFUSED,
                    said(refused) + ". Set allowVolumeExpansion: true in the storage class, if its driver can do that;"
                            + " the operator tries again every few minutes");
        }
        List<Volume> mounted = view.in(State.FILE_SYSTEM);
        if (!mounted.isEmpty()) {
            return Verdict.no(
                    VOLUMES_GROWN,
                    FILE_SYSTEM_RESIZE_PENDING,
                    "these volumes have grown, and their file systems are to follow: " + names(mounted)
                            + ". If this stays so, the driver resizes them only when the pod starts: annotate the pod with"
                            + " granary.dev/leave=yes, and delete it once status.stops says Released");
        }
        List<Volume> grows = view.in(State.TO_GROW, State.GROWING);
        if (!grows.isEmpty()) {
            return Verdict.no(VOLUMES_GROWN, "Resizing", "these volumes grow: " + said(grows));
        }
        return Verdict.yes(VOLUMES_GROWN, "AllGrown", "every volume has the size that the spec asks for");
    }

    private static String names(List<Volume> volumes) {
        return volumes.stream().map(Volume::claim).collect(Collectors.joining(", "));
    }

    private static String said(List<Volume> volumes) {
        return volumes.stream()
                .map(volume -> volume.claim() + " to " + volume.wanted()
                        + (volume.message().isEmpty() ? "" : " (" + volume.message() + ")"))
                .collect(Collectors.joining(", "));
    }
}
