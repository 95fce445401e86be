package dev.granary.operator.backup;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Why a reconcile failed, for the status of its resource.
 *
 * @param reason one word in CamelCase
 * @param message a message for people
 * @param passing whether it is likely to pass by itself, so that a first failure is not worth a status
 */
record Trouble(String reason, String message, boolean passing) {
    private static final int UNPROCESSABLE = 422;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Set<Integer> PASSING =
            Set.of(HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_CLIENT_TIMEOUT, TOO_MANY_REQUESTS);

    /** Reads an error. An answer of the API server has a message of its own. */
    static Trouble of(Exception error) {
        if (!(error instanceof KubernetesClientException refused)) {
            return new Trouble("ReconcileFailed", text(error.getMessage(), error), false);
        }
        int code = refused.getCode();
        String said =
                text(refused.getStatus() == null ? null : refused.getStatus().getMessage(), error);
        return switch (code) {
            case UNPROCESSABLE, HttpURLConnection.HTTP_BAD_REQUEST ->
                new Trouble("Refused", "the API server refuses what this resource asks for: " + said, false);
            case HttpURLConnection.HTTP_FORBIDDEN ->
                new Trouble(
                        "Forbidden",
                        "the API server forbids what this resource needs: " + said
                                + ". Give the operator the right, or the namespace the quota",
                        false);
            default ->
                new Trouble(
                        "ReconcileFailed",
                        said,
                        code <= 0 || PASSING.contains(code) || code >= HttpURLConnection.HTTP_INTERNAL_ERROR);
        };
    }

    private static String text(@Nullable String said, Exception error) {
        if (said != null) {
            return said;
        }
        return error.getMessage() != null
                ? error.getMessage()
                : error.getClass().getSimpleName();
    }
}
