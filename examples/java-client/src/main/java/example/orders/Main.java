package example.orders;

import dev.granary.client.ChunkLock;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Stores orders, finds one by a name, changes it under a lock, and deletes them all. */
public final class Main {

    private static final int ORDERS = 1000;

    private Main() {}

    /** Argument: the address of a super-peer, host:port. */
    public static void main(String[] arguments) {
        ClientOptions options = ClientOptions.builder()
                .address(arguments[0])
                .deadline(Duration.ofSeconds(10))
                .build();
        try (GranaryClient granary = GranaryClient.connect(options)) {
            List<Order> orders = IntStream.range(0, ORDERS)
                    .mapToObj(i -> new Order("customer-" + i, 100 * i))
                    .toList();
            long[] cids = granary.createObjects(orders, Place.anywhere());
            granary.names().put("orders/last", cids[ORDERS - 1]);

            long last = granary.names().get("orders/last").orElseThrow();
            try (ChunkLock lock = granary.lock(last, Duration.ofSeconds(10), Duration.ofSeconds(5))) {
                lock.put(granary.get(last, new Order()).withCents(7));
            }
            int sum = granary.getObjects(cids, i -> new Order()).stream()
                    .mapToInt(Order::cents)
                    .sum();
            int expected = IntStream.range(0, ORDERS - 1).map(i -> 100 * i).sum() + 7;
            require(sum == expected, "the orders amount to " + sum + " cents and not to " + expected);

            granary.names().remove("orders/last");
            granary.deleteAll(cids);
            requireDeleted(granary, last);
            System.out.println(ORDERS + " orders of " + sum + " cents were stored, read, changed and deleted");
        }
    }

    private static void requireDeleted(GranaryClient granary, long cid) {
        try {
            granary.get(cid);
        } catch (ChunkNotFoundException e) {
            System.out.println("as it should: " + e.getMessage());
            return;
        }
        throw new IllegalStateException("a deleted order is still there");
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalStateException(problem);
        }
    }
}
