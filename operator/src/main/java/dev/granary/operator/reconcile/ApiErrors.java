package dev.granary.operator.reconcile;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Set;

/** What an error of the API server means for the next try. */
final class ApiErrors {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int INVALID = 422;

    /** The refusals that may end by themselves: no valid token, a timeout, a conflict, too many requests. */
    private static final Set<Integer> PASSING = Set.of(401, NOT_FOUND, 408, CONFLICT, 429);

    /** So begins what the API server says, with 500, of an object with a field that it does not know. */
    private static final String UNREADABLE = "failed to create typed patch object";

    private ApiErrors() {}

    /**
     * Whether the API server has understood the request and refuses it, so that the same request will be refused again
     * until a person has changed something.
     */
    static boolean isRefusal(Throwable error) {
        if (!(error instanceof KubernetesClientException api)) {
            return false;
        }
        int code = api.getCode();
        return code < 500
                ? code >= 400 && !PASSING.contains(code)
                : message(api).startsWith(UNREADABLE);
    }

    /** Returns what the API server said, without the request and the fields of its answer. */
    static String message(Throwable error) {
        String said = error instanceof KubernetesClientException api && api.getStatus() != null
                ? api.getStatus().getMessage()
                : null;
        if (said != null) {
            return said;
        }
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }

    /** Whether the same request may succeed a moment later. */
    static boolean isTransient(Throwable error) {
        return error instanceof KubernetesClientException && !isRefusal(error);
    }

    /**
     * Whether an object that was to be changed has gone or has changed since, or another one with another uid has its
     * name. The API server answers a patch with the uid of another object with 422.
     */
    static boolean isGone(KubernetesClientException error) {
        return error.getCode() == NOT_FOUND || error.getCode() == CONFLICT || error.getCode() == INVALID;
    }
}
