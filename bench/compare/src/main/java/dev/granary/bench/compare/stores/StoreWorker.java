package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import dev.granary.bench.stores.JsonLines;
import dev.granary.bench.stores.StoreWorkload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A process with one client of a store. It prints {@code {}} when it has connected, and then answers each line of its
 * input, a {@link CaseRequest} as JSON, by a line, {@link CaseFigures} as JSON. It ends with its input.
 */
public final class StoreWorker {

    private final ComparedClient client;
    private final Path folder;
    private final MeasuredLoop loop;

    /** Objects by the name of their data. */
    private final Map<String, ObjectSet> data = new HashMap<>();

    /** Members by the name of their data. */
    private final Map<String, Members> members = new HashMap<>();

    /** What threads do, by workload and batch: the generators of a workload know what it has inserted. */
    private final Map<String, Requests> requests = new HashMap<>();

    StoreWorker(ComparedClient client, Path folder) {
        this.client = client;
        this.folder = folder;
        this.loop = new MeasuredLoop(client);
    }

    /**
     * Measures.
     *
     * @param arguments the name of a store, the address of its server, and a folder with what workloads need
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream results = System.out;
        // Some clients print greetings on standard output.
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try (ComparedClient client = open(arguments[0], arguments[1])) {
            results.println("{}");
            new StoreWorker(client, Path.of(arguments[2])).serve(System.in, results);
        }
        // Some clients leave threads behind.
        System.exit(0);
    }

    private static ComparedClient open(String store, String address) {
        return switch (store) {
            case "granary" -> new GranaryComparedClient(address);
            case "redis", "valkey" -> new JedisComparedClient(HostPort.of(address));
            case "memcached" -> new MemcachedComparedClient(HostPort.of(address));
            case "hazelcast" -> new HazelcastComparedClient(HostPort.of(address));
            case "infinispan" -> new InfinispanComparedClient(HostPort.of(address));
            case "ignite" -> new IgniteComparedClient(HostPort.of(address));
            default -> throw new IllegalArgumentException("no store '" + store + "'");
        };
    }

    private void serve(InputStream input, PrintStream results) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            results.println(JsonLines.write(answer(JsonLines.read(line, CaseRequest.class))));
        }
    }

    /** Does what is asked for. */
    CaseFigures answer(CaseRequest request) throws Exception {
        StoreWorkload workload = StoreWorkload.of(request.workload()).orElseThrow();
        if (request.load()) {
            return load(workload, request.objects());
        }
        ObjectSet objects = data.get(workload.data());
        if (objects == null) {
            throw new IllegalStateException("the objects of " + workload + " are not loaded");
        }
        return loop.run(
                request,
                requests.computeIfAbsent(
                        workload + " " + request.batch(), _ -> requests(workload, objects, request.batch())));
    }

    private Requests requests(StoreWorkload workload, ObjectSet objects, int batch) {
        return switch (workload.family()) {
            case YCSB -> new YcsbRequests(workload, objects);
            case MULTI_GET -> new MultiGetRequests(objects, batch, workload == StoreWorkload.MULTI_GET_RANDOM);
            case LINKBENCH -> new LinkRequests(objects);
            case BG -> new BgRequests(objects, Objects.requireNonNull(members.get(workload.data())));
            case PRODUCTION -> new ChurnRequests(objects, ProductionSizes.of(workload));
        };
    }

    private CaseFigures load(StoreWorkload workload, int count) throws IOException {
        if (data.containsKey(workload.data())) {
            return new CaseFigures(0, 0, null, 0, 0, 0, 0, 0, 0, 0);
        }
        ObjectSet objects = objects(workload, count);
        long beginNanos = System.nanoTime();
        try (ComparedClient.Session session = client.open()) {
            objects.load(session, count);
        }
        data.put(workload.data(), objects);
        return new CaseFigures(count, 0, null, System.nanoTime() - beginNanos, 0, 0, 0, 0, 0, 0);
    }

    private ObjectSet objects(StoreWorkload workload, int count) throws IOException {
        int ordinal = data.size() + 1;
        if (workload.family() != StoreWorkload.Family.BG) {
            return ObjectSet.of(workload, ordinal);
        }
        int all = Math.max(1, count / Members.OBJECTS);
        Members made = new Members(
                workload == StoreWorkload.BG
                        ? FriendGraph.powerLaw(all)
                        : FriendGraph.read(folder.resolve(StoreWorkload.FRIENDS_FILE), all));
        members.put(workload.data(), made);
        return new ObjectSet(ordinal, made);
    }
}
