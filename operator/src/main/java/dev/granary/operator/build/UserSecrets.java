package dev.granary.operator.build;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The Secret with the users of a cluster's doors (ADR 0337). It goes with the Granary. */
public final class UserSecrets {
    /** Rules and passwords are bytes; texts have a character for each. */
    private static final Charset BYTES = StandardCharsets.ISO_8859_1;

    private UserSecrets() {}

    /**
     * Builds the Secret.
     *
     * @param uid of the Granary
     * @param text the file
     */
    public static Secret of(String namespace, String cluster, String uid, String text) {
        return new SecretBuilder()
                .withMetadata(
                        Meta.of(new Meta.Owner(namespace, cluster, uid), Names.users(cluster), Names.labels(cluster)))
                .withType("Opaque")
                .withData(Map.of(RedisDoor.USERS_FILE, Base64.getEncoder().encodeToString(text.getBytes(BYTES))))
                .build();
    }

    /** Returns the file in a Secret, {@code null} when it has none. */
    public static @Nullable String textOf(Secret secret) {
        return value(secret, RedisDoor.USERS_FILE);
    }

    /** Returns a value of a Secret with a character for each byte, {@code null} when it has none. */
    public static @Nullable String value(Secret secret, String key) {
        String data = secret.getData() == null ? null : secret.getData().get(key);
        return data == null ? null : new String(Base64.getDecoder().decode(data), BYTES);
    }
}
