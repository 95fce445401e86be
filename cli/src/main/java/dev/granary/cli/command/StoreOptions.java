package dev.granary.cli.command;

import dev.granary.cli.backup.BackupStore;
import dev.granary.cli.backup.FolderStore;
import dev.granary.cli.backup.S3Store;
import dev.granary.cli.base.UserException;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name a store of cluster backups. */
public final class StoreOptions {

    private static final String S3 = "s3://";

    @Option(
            names = "--store",
            required = true,
            paramLabel = "PLACE",
            description = "Where backups lie: a folder, or s3://BUCKET/FOLDER. The credentials for S3 come from"
                    + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from where else the AWS SDK finds them.")
    private String place = "";

    @Option(
            names = "--s3-endpoint",
            paramLabel = "URL",
            description = "The address of a store that speaks S3 and is not Amazon's.")
    private @Nullable URI endpoint;

    @Option(
            names = "--s3-region",
            paramLabel = "REGION",
            defaultValue = "us-east-1",
            description = "The region of the bucket (default: ${DEFAULT-VALUE}).")
    private String region = "us-east-1";

    /** Opens the store without a request to it. */
    BackupStore open() {
        if (!place.startsWith(S3)) {
            return new FolderStore(Path.of(place));
        }
        String rest = place.substring(S3.length());
        int slash = rest.indexOf('/');
        String bucket = slash < 0 ? rest : rest.substring(0, slash);
        String folder = slash < 0 ? "" : rest.substring(slash + 1).replaceAll("/+$", "");
        if (bucket.isEmpty()) {
            throw new UserException("--store " + place + " names no bucket: s3://BUCKET/FOLDER");
        }
        if (endpoint != null && endpoint.getHost() == null) {
            throw new UserException("--s3-endpoint " + endpoint + " is not an address such as http://HOST:PORT");
        }
        return S3Store.open(bucket, folder, region, endpoint);
    }
}
