package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A client that knows where the chunks of one storage peer were, and does not hear that they have another owner now.
 * Its requests wait in the sockets of a storage peer that stands still; when the peer goes on, it reads them first.
 */
final class IdleReader implements AutoCloseable {

    private static final int CHUNKS = 50;

    /** Less than the time that the reader waits for an answer before it asks others. */
    private static final int SENT_MILLIS = 200;

    private final GranaryClient reader;
    private final GranaryClient writer;
    private final Place place;
    private final List<Long> cids = new ArrayList<>();
    private final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
    private long version;

    private IdleReader(LocalCluster cluster, String peer) {
        String nid =
                LocalCluster.storagePeer(cluster.status(), peer).path("nid").asText();
        this.place = Place.on(Integer.decode(nid));
        this.reader = GranaryClient.connect(cluster.clientOptions());
        this.writer = GranaryClient.connect(cluster.clientOptions());
    }

    /** Connects the reader, and a client that writes. */
    static IdleReader connect(LocalCluster cluster, String peer) {
        return new IdleReader(cluster, peer);
    }

    private byte[] value() {
        return ByteBuffer.allocate(Long.BYTES).putLong(version).array();
    }

    /** Creates chunks on the storage peer, and reads them. */
    void prepare() {
        cids.clear();
        for (int i = 0; i < CHUNKS; i++) {
            cids.add(reader.create(value(), place));
        }
        cids.forEach(cid -> assertThat(reader.get(cid)).isEqualTo(value()));
    }

    /** Lets the writing client change all of them. */
    void change() {
        version++;
        cids.forEach(cid -> writer.put(cid, value()));
    }

    /** Sends the gets; the storage peer must not answer yet. */
    void ask() throws InterruptedException {
        answers.clear();
        cids.forEach(cid -> answers.add(reader.async().get(cid)));
        TimeUnit.MILLISECONDS.sleep(SENT_MILLIS);
        assertThat(answers)
                .as("answers although the storage peer that is asked stands still")
                .noneMatch(CompletableFuture::isDone);
    }

    /** Asserts that every answer is the last value that was written. */
    void assertAnswersAreNew() {
        answers.forEach(answer -> assertThat(answer.join()).isEqualTo(value()));
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
    }
}
