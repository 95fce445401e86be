package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** A store that runs. Closing it ends its processes. */
public interface MeasuredStore extends AutoCloseable {

    StoreKind kind();

    /** How many copies of each key there are, the first one included. */
    int copies();

    String version() throws IOException;

    List<InetSocketAddress> addresses();

    /** The processes that keep keys and answer requests. */
    List<Long> servers();

    /** The other processes that belong to it. */
    List<Long> others();

    /** Its protocol, for a driver. */
    Wire wire(int expirySeconds);

    /** The bytes that it says it takes for its keys and values, everything included. */
    long ownBytes() throws IOException;

    /**
     * Has it evict keys when it takes more than so many bytes by its own count, the least frequently used ones first
     * where it can choose.
     *
     * @throws RefusedException when it does not
     */
    void limitMemory(long bytes) throws IOException;

    @Override
    void close();

    /** Its name in messages. */
    default String name() {
        return kind() + (copies() == 1 ? "" : " with " + copies() + " copies");
    }
}
