package dev.granary.operator.observe;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The volumes that may have to grow, by name. Claims that are not bound yet are left out, because they cannot grow.
 */
public record VolumesView(List<Volume> volumes) {
    /** No volume has to grow. */
    public static final VolumesView NONE = new VolumesView(List.of());

    private static final Set<String> ERRORS = Set.of("ControllerResizeError", "NodeResizeError");

    /** Copies the list. */
    public VolumesView {
        volumes = List.copyOf(volumes);
    }

    /** How far a volume is. */
    public enum State {
        /** It has the size. */
        GROWN,
        /** Its claim asks for less. */
        TO_GROW,
        /** Its claim asks for the size, and its driver works on that. */
        GROWING,
        /** The volume has the size, its file system does not yet. */
        FILE_SYSTEM,
        /** The API server has refused the size. */
        REFUSED
    }

    /**
     * A volume.
     *
     * @param claim name of its claim
     * @param uid uid of its claim
     * @param wanted the size that it should have
     * @param message why it has not grown yet, empty when nothing is known
     */
    public record Volume(String claim, String uid, String wanted, State state, String message) {}

    /**
     * Looks at the claims of a role.
     *
     * @param wanted the size that the volumes should have
     * @param refusals why the API server has refused that size, by uid of the claim
     */
    public static VolumesView of(
            Collection<PersistentVolumeClaim> claims, String wanted, Map<String, String> refusals) {
        List<Volume> volumes = new ArrayList<>();
        claims.stream()
                .filter(claim -> claim.getStatus() != null
                        && "Bound".equals(claim.getStatus().getPhase()))
                .sorted(Comparator.comparing(claim -> claim.getMetadata().getName()))
                .forEach(claim -> volumes.add(volume(claim, new Quantity(wanted), refusals)));
        return new VolumesView(volumes);
    }

    private static Volume volume(PersistentVolumeClaim claim, Quantity wanted, Map<String, String> refusals) {
        String uid = claim.getMetadata().getUid();
        String refusal = refusals.get(uid);
        boolean asks = reaches(claim.getSpec().getResources().getRequests(), wanted);
        boolean has = reaches(claim.getStatus().getCapacity(), wanted);
        State state = !asks
                ? refusal == null ? State.TO_GROW : State.REFUSED
                : has ? State.GROWN : is(claim, "FileSystemResizePending") ? State.FILE_SYSTEM : State.GROWING;
        String message = state == State.REFUSED && refusal != null ? refusal : error(claim.getStatus());
        return new Volume(claim.getMetadata().getName(), uid, wanted.toString(), state, message);
    }

    private static boolean reaches(@Nullable Map<String, Quantity> sizes, Quantity wanted) {
        Quantity size = sizes == null ? null : sizes.get("storage");
        return size != null && Quantity.getAmountInBytes(size).compareTo(Quantity.getAmountInBytes(wanted)) >= 0;
    }

    private static boolean is(PersistentVolumeClaim claim, String type) {
        return claim.getStatus().getConditions() != null
                && claim.getStatus().getConditions().stream()
                        .anyMatch(
                                condition -> type.equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    /** Returns what the driver said when it failed; empty when it did not. */
    private static String error(PersistentVolumeClaimStatus status) {
        return status.getConditions() == null
                ? ""
                : status.getConditions().stream()
                        .filter(condition -> ERRORS.contains(condition.getType()))
                        .map(condition -> String.valueOf(condition.getMessage()))
                        .findFirst()
                        .orElse("");
    }

    /** Returns the volumes of two roles. */
    public VolumesView and(VolumesView other) {
        return new VolumesView(
                Stream.concat(volumes.stream(), other.volumes.stream()).toList());
    }

    /** Returns the volumes in these states. */
    public List<Volume> in(State... states) {
        Set<State> wanted = Set.of(states);
        return volumes.stream()
                .filter(volume -> wanted.contains(volume.state()))
                .toList();
    }
}
