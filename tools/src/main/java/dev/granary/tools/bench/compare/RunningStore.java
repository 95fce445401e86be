package dev.granary.tools.bench.compare;

import dev.granary.bench.stores.ServerReady;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.process.JsonProcess;
import dev.granary.tools.bench.redis.MeasuredStore;
import dev.granary.tools.bench.redis.MemcachedStore;
import dev.granary.tools.bench.redis.RedisStore;
import dev.granary.tools.bench.redis.StoreKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The server of a store. It ends when this is closed.
 *
 * @param ready what it has said
 * @param end ends it
 */
record RunningStore(StoreChoice choice, ServerReady ready, AutoCloseable end) implements AutoCloseable {

    private static final String SERVER = "dev.granary.bench.compare.stores.StoreServer";
    private static final long START_SECONDS = 120;

    /** More than clients of this command have. */
    private static final int CONNECTIONS = 2_048;

    /**
     * Starts a server on its processors and waits until it can be asked.
     *
     * @param folder an empty directory
     * @throws UserException when it does not start
     */
    static RunningStore start(StoreChoice choice, ComparePlan plan, Launcher launcher, Path folder)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        return choice.program().isPresent()
                ? program(choice, choice.program().get(), plan, folder)
                : java(choice, plan, launcher, folder);
    }

    private static RunningStore program(StoreChoice choice, StoreKind kind, ComparePlan plan, Path folder)
            throws IOException, InterruptedException {
        Path executable = kind.executable().orElseThrow(() -> new UserException(kind.missing()));
        MeasuredStore store = kind == StoreKind.MEMCACHED
                ? MemcachedStore.start(executable, plan.memoryBytes(), CONNECTIONS, folder)
                : RedisStore.start(kind, executable, folder);
        try {
            for (long pid : store.servers()) {
                Processors.pin(pid, plan.serverCpus());
            }
            InetSocketAddress address = store.addresses().getFirst();
            ServerReady ready = new ServerReady(
                    address.getAddress().getHostAddress() + ":" + address.getPort(),
                    store.version(),
                    store.servers(),
                    store.others());
            return new RunningStore(choice, ready, store);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private static RunningStore java(StoreChoice choice, ComparePlan plan, Launcher launcher, Path folder) {
        boolean ours = choice == StoreChoice.GRANARY;
        String bytes = Long.toString(plan.memoryBytes());
        ProcessBuilder builder = ours
                ? launcher.ours(
                        ClusterMain.class.getName(),
                        List.of(folder.resolve("cluster").toString(), "1", bytes))
                : launcher.server(choice, SERVER, List.of(choice.toString(), bytes, folder.toString()), plan);
        JsonProcess process = JsonProcess.start(
                "the server of " + choice, Processors.on(plan.serverCpus(), builder), folder.resolve("log.txt"));
        try {
            return new RunningStore(choice, process.answer(ServerReady.class, START_SECONDS), process);
        } catch (RuntimeException e) {
            process.close();
            throw e;
        }
    }

    @Override
    public void close() throws Exception {
        end.close();
    }
}
