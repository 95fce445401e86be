package dev.granary.cli.backup;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Cluster backups in a bucket of Amazon S3 or of a store with its protocol. The AWS SDK finds the credentials:
 * {@code AWS_ACCESS_KEY_ID} and {@code AWS_SECRET_ACCESS_KEY}, its files, or the machine's role.
 */
public final class S3Store implements BackupStore {

    private final S3Client client;
    private final String bucket;
    private final String prefix;

    private S3Store(S3Client client, String bucket, String prefix) {
        this.client = client;
        this.bucket = bucket;
        this.prefix = prefix;
    }

    /**
     * Opens a store without a request to it.
     *
     * @param folder the prefix of all names in the bucket; may be empty
     * @param endpoint the address of a store that is not Amazon's, null for Amazon's
     */
    public static S3Store open(String bucket, String folder, String region, @Nullable URI endpoint) {
        S3ClientBuilder builder =
                S3Client.builder().httpClient(UrlConnectionHttpClient.create()).region(Region.of(region));
        if (endpoint != null) {
            // Other stores have no host name for each bucket, and not all know the checksums in Amazon's trailers.
            builder.endpointOverride(endpoint)
                    .forcePathStyle(true)
                    .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
        }
        return new S3Store(builder.build(), bucket, folder.isEmpty() ? "" : folder + "/");
    }

    @Override
    public String describe() {
        return "s3://" + bucket + "/" + prefix;
    }

    @Override
    public void put(String name, byte[] bytes, int sizeBytes) throws IOException {
        try {
            client.putObject(
                    request -> request.bucket(bucket).key(prefix + name),
                    RequestBody.fromByteBuffer(ByteBuffer.wrap(bytes, 0, sizeBytes)));
        } catch (SdkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public byte[] get(String name) throws IOException {
        try {
            return client.getObjectAsBytes(request -> request.bucket(bucket).key(prefix + name))
                    .asByteArray();
        } catch (NoSuchKeyException e) {
            throw (IOException) new NoSuchFileException(name).initCause(e);
        } catch (SdkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public List<String> list() throws IOException {
        try {
            return client
                    .listObjectsV2Paginator(request -> request.bucket(bucket).prefix(prefix))
                    .contents()
                    .stream()
                    .map(S3Object::key)
                    .map(key -> key.substring(prefix.length()))
                    .toList();
        } catch (SdkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        try {
            client.deleteObject(request -> request.bucket(bucket).key(prefix + name));
        } catch (SdkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
