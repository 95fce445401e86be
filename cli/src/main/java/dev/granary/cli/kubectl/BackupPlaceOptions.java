package dev.granary.cli.kubectl;

import dev.granary.cli.base.UserException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where cluster backups lie: a volume or a bucket. */
final class BackupPlaceOptions {

    @Option(names = "--claim", paramLabel = "CLAIM", description = "A PersistentVolumeClaim of the namespace.")
    private @Nullable String claim;

    @Option(names = "--path", paramLabel = "FOLDER", description = "Folder in the volume. Default: its root.")
    private @Nullable String path;

    @Option(names = "--bucket", paramLabel = "BUCKET", description = "A bucket of S3, or of a store that speaks it.")
    private @Nullable String bucket;

    @Option(names = "--folder", paramLabel = "FOLDER", description = "What all names in the bucket begin with.")
    private @Nullable String folder;

    @Option(names = "--endpoint", paramLabel = "URL", description = "Address of a store that is not Amazon's.")
    private @Nullable String endpoint;

    @Option(names = "--region", paramLabel = "REGION", description = "Region of the bucket.")
    private @Nullable String region;

    @Option(
            names = "--secret",
            paramLabel = "SECRET",
            description = "Secret of the namespace with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    private @Nullable String secret;

    /** Whether the options name a place. */
    boolean isNamed() {
        return claim != null || bucket != null;
    }

    /** The place as the resources have it. */
    Map<String, Object> place() {
        if ((claim == null) == (bucket == null)) {
            throw new UserException("name one place for backups: --claim or --bucket");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        if (claim != null) {
            refuse("--claim", "--folder", folder, "--endpoint", endpoint, "--region", region, "--secret", secret);
            fields.put("claimName", claim);
            put(fields, "path", path);
            return Map.of("volume", fields);
        }
        refuse("--bucket", "--path", path);
        fields.put("bucket", bucket);
        put(fields, "folder", folder);
        put(fields, "endpoint", endpoint);
        put(fields, "region", region);
        if (secret != null) {
            fields.put("credentialsSecretRef", Map.of("name", secret));
        }
        return Map.of("s3", fields);
    }

    private static void put(Map<String, Object> fields, String field, @Nullable String value) {
        if (value != null) {
            fields.put(field, value);
        }
    }

    /** Refuses options, given as pairs of name and value, that do not go with another one. */
    private static void refuse(String with, @Nullable String... options) {
        for (int i = 0; i < options.length; i += 2) {
            if (options[i + 1] != null) {
                throw new UserException(options[i] + " does not go with " + with);
            }
        }
    }
}
