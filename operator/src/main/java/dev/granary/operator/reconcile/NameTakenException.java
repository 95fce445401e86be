package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * An object that the cluster needs exists already with another owner. The message is for the author of the resource.
 */
public final class NameTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NameTakenException(String message) {
        super(message);
    }

    /** Says that an object of this kind and name belongs to somebody else. */
    static NameTakenException of(HasMetadata object) {
        return new NameTakenException(
                object.getKind() + " " + object.getMetadata().getName()
                        + " exists already and does not belong to this resource. Delete it, or give the Granary another name");
    }
}
