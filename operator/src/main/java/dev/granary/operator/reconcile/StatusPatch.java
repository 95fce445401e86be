package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;

/** Patches of a resource's status. */
public final class StatusPatch {

    private StatusPatch() {}

    /**
     * Gives an empty resource the name of another one and a status, and nothing else: everything in a patch belongs to
     * this operator alone.
     *
     * @param patch a new resource
     * @param of the resource whose status is to change
     */
    public static <S, R extends CustomResource<?, S>> R of(R patch, R of, S status) {
        patch.setMetadata(new ObjectMetaBuilder()
                .withName(of.getMetadata().getName())
                .withNamespace(of.getMetadata().getNamespace())
                .build());
        patch.setStatus(status);
        return patch;
    }
}
