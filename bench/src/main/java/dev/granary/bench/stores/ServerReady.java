package dev.granary.bench.stores;

import java.util.List;

/**
 * What a process that runs a server says first.
 *
 * @param address where clients find it, {@code host:port}
 * @param version its version
 * @param servers identifiers of the processes that answer requests
 * @param others identifiers of the other processes of the store
 */
public record ServerReady(String address, String version, List<Long> servers, List<Long> others) {

    public ServerReady {
        servers = List.copyOf(servers);
        others = List.copyOf(others);
    }
}
