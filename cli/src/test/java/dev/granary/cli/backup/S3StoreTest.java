package dev.granary.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.CommandLogging;
import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with a server that speaks S3 and checks signatures. */
class S3StoreTest {

    private static final String BUCKET = "backups";

    private static @Nullable BlobStoreContext blobs;
    private static @Nullable BlobStore behind;
    private static @Nullable S3Proxy server;
    private static URI endpoint = URI.create("http://127.0.0.1");

    private S3Store store = S3Store.open(BUCKET, "", "us-east-1", endpoint);

    @BeforeAll
    static void startServer() throws Exception {
        CommandLogging.silence();
        BlobStoreContext context =
                ContextBuilder.newBuilder("transient").credentials("any", "any").build(BlobStoreContext.class);
        BlobStore blobStore = context.getBlobStore();
        S3Proxy proxy = S3Proxy.builder()
                .blobStore(blobStore)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, "key", "secret")
                .build();
        proxy.start();
        blobs = context;
        behind = blobStore;
        server = proxy;
        endpoint = URI.create("http://127.0.0.1:" + proxy.getPort());
        blobStore.createContainerInLocation(null, BUCKET);
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
    }

    @AfterAll
    static void stopServer() throws Exception {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        if (server != null) {
            server.stop();
        }
        if (blobs != null) {
            blobs.close();
        }
    }

    @BeforeEach
    void open() {
        store = S3Store.open(BUCKET, "cluster/a", "us-east-1", endpoint);
    }

    @AfterEach
    void empty() {
        behind().clearContainer(BUCKET);
        store.close();
    }

    /** What the server keeps its files in. */
    private static BlobStore behind() {
        return Objects.requireNonNull(behind);
    }

    @Test
    void put_someFiles_areListedAndReadAsWritten() throws IOException {
        byte[] large = new byte[5 << 20];
        new SplittableRandom(1).nextBytes(large);
        store.put("b-1/part-000001", large, large.length - 1);
        store.put("b-1/manifest", new byte[] {1, 2, 3}, 3);
        S3Store other = S3Store.open(BUCKET, "cluster/b", "us-east-1", endpoint);
        other.put("b-1/manifest", new byte[] {4}, 1);

        assertThat(store.list()).containsExactlyInAnyOrder("b-1/part-000001", "b-1/manifest");
        assertThat(store.get("b-1/part-000001")).isEqualTo(Arrays.copyOf(large, large.length - 1));
        assertThat(other.get("b-1/manifest")).containsExactly(4);
        store.delete("b-1/manifest");
        store.delete("b-1/manifest");
        assertThat(store.list()).containsExactly("b-1/part-000001");
        other.delete("b-1/manifest");
        other.close();
    }

    @Test
    void list_manyFiles_hasAll() throws IOException {
        // More than a page. The server lists what was put behind its back as it lists the rest.
        for (int i = 0; i < 1100; i++) {
            behind().putBlob(
                            BUCKET,
                            behind().blobBuilder("cluster/a/b-1/" + i)
                                    .payload(new byte[0])
                                    .build());
        }
        assertThat(store.list()).hasSize(1100);
    }

    @Test
    void get_missing_saysSo() {
        assertThatThrownBy(() -> store.get("b-1/manifest")).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void list_wrongKeyOrBucket_isATroubleOfTheStore() {
        System.setProperty("aws.secretAccessKey", "wrong");
        try (S3Store wrong = S3Store.open(BUCKET, "", "us-east-1", endpoint)) {
            assertThatThrownBy(wrong::list).isInstanceOf(IOException.class);
        } finally {
            System.setProperty("aws.secretAccessKey", "secret");
        }
        try (S3Store missing = S3Store.open("no-such-bucket", "", "us-east-1", endpoint)) {
            assertThatThrownBy(() -> new BackupCatalog(missing).ids())
                    .isInstanceOf(BackupException.class)
                    .hasMessageContaining("s3://no-such-bucket/ cannot be used");
        }
    }

    @Test
    void catalog_inABucket_keepsAndDeletes() throws IOException {
        BackupManifest manifest = new BackupManifest("b-1", "c", 1, 2, 0, 0, 0, 0, 0, List.of(), List.of());
        byte[] bytes = manifest.toBytes();
        store.put("b-1/manifest", bytes, bytes.length);
        BackupCatalog catalog = new BackupCatalog(store);
        assertThat(catalog.find(null)).isEqualTo(manifest);
        catalog.delete("b-1");
        assertThat(catalog.ids()).isEmpty();
    }
}
