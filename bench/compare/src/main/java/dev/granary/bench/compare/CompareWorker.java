package dev.granary.bench.compare;

import dev.granary.bench.memory.BenchStore;
import dev.granary.bench.memory.ComparedStore;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.bench.memory.MemoryRun;
import dev.granary.bench.memory.Output;
import dev.granary.bench.memory.SizePattern;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The process that measures another store. Its one argument is a {@link MemoryPlan} as JSON. */
public final class CompareWorker {

    private CompareWorker() {}

    /** Measures. Exits with 1 and a stack trace on standard error when the store fails. */
    public static void main(String[] arguments) {
        PrintStream results = System.out;
        // Some stores print greetings on standard output, where only results belong.
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            MemoryPlan plan = MemoryPlan.ofJson(arguments[0]);
            new MemoryRun(plan, factory(ComparedStore.of(plan.store())), new Output(results)).run();
            // Some stores leave running threads behind.
            System.exit(0);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static BenchStore.Factory factory(ComparedStore store) {
        return new BenchStore.Factory() {
            @Override
            public String store() {
                return store.toString();
            }

            @Override
            public String layout() {
                return "";
            }

            @Override
            public BenchStore open(long chunks, SizePattern sizes) {
                long nativeBytes = store.nativeBytes(chunks, sizes.bytesBefore(chunks));
                return switch (store) {
                    case CONCURRENT_HASH_MAP -> HeapMapStore.concurrentHashMap(chunks);
                    case CAFFEINE -> HeapMapStore.caffeine(chunks);
                    case OHC_LINKED -> OhcStore.linked(chunks, nativeBytes);
                    case OHC_CHUNKED -> OhcStore.chunked(chunks, nativeBytes);
                    case CHRONICLE_MAP -> new ChronicleStore(chunks, sizes);
                    case EHCACHE -> new EhcacheStore(nativeBytes);
                    case INFINISPAN -> new InfinispanStore();
                    case HAZELCAST -> new HazelcastStore();
                };
            }
        };
    }
}
