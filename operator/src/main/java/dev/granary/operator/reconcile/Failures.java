package dev.granary.operator.reconcile;

import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.status.Failure;

/** Judges errors of a round. */
final class Failures {
    /**
     * The failed tries in a row after which an error that may pass is said in the status. By the pace of retries they
     * take 13 seconds. To say it at once would write the status of every cluster when the API server suffers already.
     */
    private static final int PATIENCE = 5;

    private Failures() {}

    /** Returns what a status says of an error. */
    static Failure of(Exception error) {
        String reason =
                switch (error) {
                    case InvalidSpecException _ -> "InvalidSpec";
                    case NameTakenException _ -> "NameTaken";
                    default -> "ReconcileFailed";
                };
        return new Failure(reason, ApiErrors.message(error), !ApiErrors.isTransient(error));
    }

    /**
     * Whether an error is not said yet.
     *
     * @param tries the number of tries that failed before
     */
    static boolean isKeptBack(Exception error, int tries) {
        return ApiErrors.isTransient(error) && tries < PATIENCE;
    }
}
