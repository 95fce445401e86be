package dev.granary.bench.memory;

import java.util.List;

/**
 * The stores with which chunk memory is compared. Keys are {@code Long}, values {@code byte[]}. A separate module
 * measures them; no other module has their libraries on its class path.
 */
public enum ComparedStore {
    /** The JDK's, on the heap. */
    CONCURRENT_HASH_MAP("concurrent-hash-map", 140, 0, ""),
    /** A bounded cache on the heap, here with room for everything. */
    CAFFEINE("caffeine", 200, 0, ""),
    /** OHC with a separate entry for each object. */
    OHC_LINKED("ohc-linked", 0, 130, ""),
    /** OHC with entries in large chunks. */
    OHC_CHUNKED("ohc-chunked", 0, 60, "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"),
    /** Chronicle Map in anonymous memory. */
    CHRONICLE_MAP("chronicle-map", 0, 50, """
                    --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
                    --add-exports=java.base/sun.nio.ch=ALL-UNNAMED
                    --add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED
                    --add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED
                    --add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED
                    --add-opens=java.base/java.lang=ALL-UNNAMED
                    --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
                    --add-opens=java.base/java.io=ALL-UNNAMED
                    --add-opens=java.base/java.util=ALL-UNNAMED
                    --add-opens=java.base/java.nio=ALL-UNNAMED
                    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
                    -Dchronicle.analytics.disable=true
                    -Dchronicle.announcer.disable=true"""),
    /** Ehcache 3 with an off-heap tier only. */
    EHCACHE("ehcache", 0, 140, ""),
    /** Infinispan, a local cache off the heap. */
    INFINISPAN("infinispan", 0, 110, ""),
    /** Hazelcast, one member, a map in binary form (on the heap: off-heap is not in the open source edition). */
    HAZELCAST("hazelcast", 260, 0, """
                    --add-modules=java.se
                    --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
                    --add-opens=java.base/java.lang=ALL-UNNAMED
                    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
                    --add-opens=java.management/sun.management=ALL-UNNAMED
                    --add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED
                    -Dhazelcast.logging.type=none
                    -Dhazelcast.phone.home.enabled=false""");

    private static final double GARBAGE = 1.5;
    private static final long WORKING_HEAP_BYTES = 384L << 20;
    private static final long WORKING_NATIVE_BYTES = 64L << 20;

    private final String label;
    private final int heapBytesPerObject;
    private final int nativeBytesPerObject;
    /** The JVM options, separated by white space, because an enum constant should hold no list. */
    private final String options;

    ComparedStore(String label, int heapBytesPerObject, int nativeBytesPerObject, String options) {
        this.label = label;
        this.heapBytesPerObject = heapBytesPerObject;
        this.nativeBytesPerObject = nativeBytesPerObject;
        this.options = options;
    }

    /** The store with this {@link #toString} name. */
    public static ComparedStore of(String name) {
        for (ComparedStore store : values()) {
            if (store.label.equals(name)) {
                return store;
            }
        }
        throw new BadOptionException("there is no store " + name + " to compare with");
    }

    /** Returns the bytes of heap for {@code objects} objects, with room for garbage. */
    public long heapBytes(long objects, long payloadBytes) {
        long data = heapBytesPerObject == 0 ? 0 : objects * heapBytesPerObject + payloadBytes;
        return (long) (data * GARBAGE) + WORKING_HEAP_BYTES;
    }

    /** Returns the bytes of native memory for {@code objects} objects. */
    public long nativeBytes(long objects, long payloadBytes) {
        return nativeBytesPerObject == 0 ? 0 : objects * nativeBytesPerObject + payloadBytes + WORKING_NATIVE_BYTES;
    }

    /** The JVM options that the store needs. */
    public List<String> options() {
        return List.of(
                (options + " --sun-misc-unsafe-memory-access=allow").strip().split("\\s+", -1));
    }

    @Override
    public String toString() {
        return label;
    }
}
