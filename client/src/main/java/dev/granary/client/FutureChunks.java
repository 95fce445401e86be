package dev.granary.client;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;

/**
 * Waits for the futures of a client.
 *
 * @param client gives the futures
 */
record FutureChunks(AsyncGranaryClient client) implements WaitingChunks {

    @Override
    public byte[] get(long cid) {
        return GranaryClient.await(client.get(cid));
    }

    @Override
    public <T extends Importable> T get(long cid, T object) {
        return GranaryClient.await(client.get(cid, object));
    }

    @Override
    public void put(long cid, byte[] value) {
        GranaryClient.await(client.put(cid, value));
    }

    @Override
    public void put(long cid, Exportable object) {
        GranaryClient.await(client.put(cid, object));
    }

    @Override
    public void delete(long cid) {
        GranaryClient.await(client.delete(cid));
    }
}
