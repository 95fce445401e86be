package dev.granary.operator.reconcile;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies objects by server-side apply. Does so only when the desired object has changed, or the existing one differs
 * from what this process applied last. Thread-safe.
 *
 * <p>Invariant: an object that the resource does not own is never touched.
 */
public final class Applier {
    /** The outcome of applying an object. */
    public enum Outcome {
        /** There was none. */
        CREATED,
        /** The spec has changed, so the object's controller has something to do. */
        SPEC_CHANGED,
        /** Only labels or annotations have changed. */
        CHANGED,
        /** It was as it should be. */
        UNCHANGED
    }

    private static final Logger LOG = LoggerFactory.getLogger(Applier.class);
    private static final int TRIES = 4;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private record Applied(HasMetadata desired, String resourceVersion) {}

    private final KubernetesClient client;
    private final Map<String, Applied> applied = Collections.synchronizedMap(new RecentlyUsed());

    /** Makes an applier that has applied nothing yet. */
    public Applier(KubernetesClient client) {
        this.client = client;
    }

    /** Applies an object that is made as it always is. */
    public Outcome apply(HasMetadata desired, @Nullable HasMetadata cached) {
        return apply(desired, desired, cached);
    }

    /**
     * Applies one object, and returns the outcome.
     *
     * @param desired the object, with its owner
     * @param anew the object as it is asked for if there is none; where the API server refuses that it is made as
     *     desired
     * @param cached the object as the watch last showed it, {@code null} when it showed none
     * @throws NameTakenException when an object of this name belongs to someone else
     */
    public Outcome apply(HasMetadata desired, HasMetadata anew, @Nullable HasMetadata cached) {
        if (isApplied(desired, cached)) {
            return Outcome.UNCHANGED;
        }
        HasMetadata existing = client.resource(desired).get();
        if (existing != null && !sameOwner(existing, desired)) {
            throw NameTakenException.of(desired);
        }
        if (existing == null && !anew.equals(desired)) {
            make(anew);
        }
        // Also after it was made anew: what was asked for only then is no field of the operator's.
        HasMetadata result = write(desired);
        applied.put(key(desired), new Applied(desired, result.getMetadata().getResourceVersion()));
        if (existing == null) {
            return Outcome.CREATED;
        }
        ObjectMeta before = existing.getMetadata();
        ObjectMeta after = result.getMetadata();
        if (!Objects.equals(before.getGeneration(), after.getGeneration())) {
            return Outcome.SPEC_CHANGED;
        }
        return before.getResourceVersion().equals(after.getResourceVersion()) ? Outcome.UNCHANGED : Outcome.CHANGED;
    }

    /**
     * Asks for an object that there was before. What it had is given back a moment after it has gone, so this tries
     * again for a while.
     */
    private void make(HasMetadata anew) {
        for (int i = 1; i <= TRIES; i++) {
            try {
                write(anew);
                return;
            } catch (KubernetesClientException e) {
                if (!ApiErrors.isRefusal(e)) {
                    throw e;
                }
                LOG.atInfo()
                        .addKeyValue("kind", anew.getKind())
                        .addKeyValue("name", anew.getMetadata().getName())
                        .addKeyValue("namespace", anew.getMetadata().getNamespace())
                        .log("an object does not get what it had before: {}", ApiErrors.message(e));
                LockSupport.parkNanos(i == TRIES ? 0 : PAUSE.toNanos());
            }
        }
    }

    private HasMetadata write(HasMetadata object) {
        return client.resource(object)
                .fieldManager(Names.FIELD_MANAGER)
                .forceConflicts()
                .serverSideApply();
    }

    /**
     * Whether this process has applied exactly this object, and the watch has shown no change since.
     */
    boolean isApplied(HasMetadata desired, @Nullable HasMetadata cached) {
        Applied last = applied.get(key(desired));
        return cached != null
                && last != null
                && last.desired().equals(desired)
                && last.resourceVersion().equals(cached.getMetadata().getResourceVersion());
    }

    private static boolean sameOwner(HasMetadata existing, HasMetadata desired) {
        return isOwnedBy(
                existing, desired.getMetadata().getOwnerReferences().getFirst().getUid());
    }

    /** Whether an object belongs to the resource with this uid. */
    static boolean isOwnedBy(HasMetadata existing, String uid) {
        return existing.getMetadata().getOwnerReferences().stream()
                .anyMatch(reference -> uid.equals(reference.getUid()));
    }

    /**
     * The last applied objects. A forgotten object is applied once more. The limit keeps objects of deleted clusters
     * from accumulating.
     */
    private static final class RecentlyUsed extends LinkedHashMap<String, Applied> {
        private static final long serialVersionUID = 1L;
        private static final int LIMIT = 20_000;

        RecentlyUsed() {
            super(64, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Applied> eldest) {
            return size() > LIMIT;
        }
    }

    private static String key(HasMetadata object) {
        return object.getKind() + "/" + object.getMetadata().getNamespace() + "/"
                + object.getMetadata().getName();
    }
}
