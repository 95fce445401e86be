package dev.granary.cli.keys;

import dev.granary.client.GranaryClient;
import dev.granary.client.Keys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Sets the keys of a text in batches. Of a key that comes twice the last value counts. For one thread. */
public final class KeyLoader {

    private static final int BATCH_KEYS = 20_000;
    private static final int BATCH_BYTES = 8 << 20;

    private final Keys<ByteBuffer> keys;
    private final @Nullable Duration lifetime;
    private final Map<ByteBuffer, byte[]> batch = new LinkedHashMap<>();
    private long batchBytes;
    private long loaded;
    private long loadedBytes;

    /** @param lifetime of the keys, null for ever */
    public KeyLoader(GranaryClient client, @Nullable Duration lifetime) {
        this.keys = client.keys(ByteBuffer::array);
        this.lifetime = lifetime;
    }

    /**
     * Sets all keys of a text.
     *
     * @param progress told after each batch how many bytes of the text were read by then
     */
    public void load(KeyLines lines, LongConsumer progress) throws IOException {
        for (KeyValue next = lines.next(); next != null; next = lines.next()) {
            batch.put(ByteBuffer.wrap(next.key()), next.value());
            batchBytes += next.key().length + next.value().length;
            if (batch.size() >= BATCH_KEYS || batchBytes >= BATCH_BYTES) {
                flush();
                progress.accept(lines.bytes());
            }
        }
        flush();
        progress.accept(lines.bytes());
    }

    private void flush() {
        Repeated.until(() -> {
            if (lifetime == null) {
                keys.setAll(batch);
            } else {
                keys.setAll(batch, lifetime);
            }
            return true;
        });
        loaded += batch.size();
        loadedBytes += batchBytes;
        batch.clear();
        batchBytes = 0;
    }

    /** Returns how many keys were set. */
    public long loaded() {
        return loaded;
    }

    /** Returns how many bytes they have with their values. */
    public long loadedBytes() {
        return loadedBytes;
    }
}
