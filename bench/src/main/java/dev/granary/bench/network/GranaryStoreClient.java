package dev.granary.bench.network;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The Java client. All threads share one, as applications do. */
final class GranaryStoreClient implements StoreClient {

    /** Waits for answers with the methods that wait. */
    static final String WAITING = "granary";

    /** Waits for the futures of the client with futures. */
    static final String FUTURES = "granary-futures";

    private final GranaryClient client;
    private final boolean byFutures;
    private long[] cids = {};

    private GranaryStoreClient(GranaryClient client, boolean byFutures) {
        this.client = client;
        this.byFutures = byFutures;
    }

    /** Connects. */
    static GranaryStoreClient open(String kind, String address) {
        if (!kind.equals(WAITING) && !kind.equals(FUTURES)) {
            throw new IllegalArgumentException("no client '" + kind + "'");
        }
        return new GranaryStoreClient(GranaryClient.connect(ClientOptions.of(address)), kind.equals(FUTURES));
    }

    @Override
    public void load(int objects, byte[] value) {
        cids = client.createAll(Collections.nCopies(objects, value), Place.anywhere());
    }

    @Override
    public Session open() {
        return byFutures ? new ByFutures() : new Waiting();
    }

    @Override
    public void close() {
        client.close();
    }

    private class Waiting implements Session {

        private long[] wanted = {};

        @Override
        public int get(int number) {
            return client.get(cids[number]).length;
        }

        @Override
        public void put(int number, byte[] value) {
            client.put(cids[number], value);
        }

        @Override
        public int getAll(int[] numbers) {
            int found = 0;
            for (byte[] each : client.getAll(cidsOf(numbers))) {
                found += each == null ? 0 : 1;
            }
            return found;
        }

        @Override
        public void putAll(int[] numbers, byte[] value) {
            List<byte[]> values = Collections.nCopies(numbers.length, value);
            client.putAll(cidsOf(numbers), values);
        }

        private long[] cidsOf(int[] numbers) {
            if (wanted.length != numbers.length) {
                wanted = new long[numbers.length];
            }
            Arrays.setAll(wanted, i -> cids[numbers[i]]);
            return wanted;
        }
    }

    private final class ByFutures extends Waiting {

        @Override
        public int get(int number) {
            return GranaryClient.await(client.async().get(cids[number])).length;
        }

        @Override
        public void put(int number, byte[] value) {
            var _ = GranaryClient.await(client.async().put(cids[number], value));
        }
    }
}
