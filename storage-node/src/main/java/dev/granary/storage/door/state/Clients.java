package dev.granary.storage.door.state;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The clients that are connected to a door, and what they hold altogether. Thread-safe. */
public final class Clients {

    private final Map<Long, Client> byId = new ConcurrentSkipListMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong lastId = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();

    /** Takes a place for a client; false when all are taken. */
    public boolean tryEnter(int most) {
        int before = count.get();
        while (before < most) {
            if (count.compareAndSet(before, before + 1)) {
                return true;
            }
            before = count.get();
        }
        return false;
    }

    /** Gives the place of a client back. */
    public void leave() {
        count.decrementAndGet();
    }

    /** Returns an id that no client had before. */
    public long nextId() {
        return lastId.incrementAndGet();
    }

    public void add(Client client) {
        byId.put(client.id(), client);
    }

    public void remove(Client client) {
        byId.remove(client.id());
    }

    /** Returns all clients, the oldest first. */
    public Collection<Client> all() {
        return List.copyOf(byId.values());
    }

    public @Nullable Client find(long id) {
        return byId.get(id);
    }

    public int count() {
        return count.get();
    }

    /** Notes that a client holds more bytes than before, or fewer; returns what all hold. */
    public long held(long moreBytes) {
        return heldBytes.addAndGet(moreBytes);
    }

    public long heldBytes() {
        return heldBytes.get();
    }
}
