package dev.granary.operator.plan;

import java.util.Locale;

/**
 * Divides the memory limit of a pod (ADR 0033). All sizes are bytes in whole MiB.
 *
 * <pre>
 *   limit                                    the container's request and limit
 *   ├── jvm      160 MiB                     classes 64, compiled code 48, stacks and the collector's tables 48
 *   ├── direct   storage: limit/32, 64 to 512 MiB;  super-peer: 64 MiB      network buffers and what waits in them
 *   ├── heap     storage: limit/16, 96 MiB to 1 GiB;  super-peer: what is left less limit/8
 *   └── chunks   storage: what is left       memory.size, the area for chunks and their tables
 * </pre>
 *
 * <p>Invariants: (1) the parts never exceed the limit; (2) no part of a storage peer's plan is below its minimum,
 * else there is no plan.
 *
 * @param limitBytes memory limit of the container
 * @param heapBytes Java heap, fixed size
 * @param directBytes the most that the process may allocate as direct memory
 * @param jvmBytes reserve for the JVM itself
 * @param chunkBytes the area for chunks; 0 for a super-peer
 */
public record MemoryPlan(long limitBytes, long heapBytes, long directBytes, long jvmBytes, long chunkBytes) {
    /** The least that a storage peer can do with; the CRD refuses less. */
    public static final long MINIMUM_STORAGE_BYTES = mebibytes(512);

    /** The least that a super-peer can do with; the CRD refuses less. */
    public static final long MINIMUM_SUPER_PEER_BYTES = mebibytes(384);

    private static final long MAXIMUM_STORAGE_BYTES = mebibytes(8L << 20);
    private static final int METASPACE_MEBIBYTES = 64;
    private static final int CODE_CACHE_MEBIBYTES = 48;
    private static final long JVM_BYTES = mebibytes(METASPACE_MEBIBYTES + CODE_CACHE_MEBIBYTES + 48);
    private static final long DIRECT_BYTES = mebibytes(64);
    private static final long MAXIMUM_DIRECT_BYTES = mebibytes(512);
    private static final long MINIMUM_HEAP_BYTES = mebibytes(96);
    private static final long MAXIMUM_HEAP_BYTES = mebibytes(1024);

    /** Checks that the parts fit. */
    public MemoryPlan {
        if (heapBytes + directBytes + jvmBytes + chunkBytes > limitBytes) {
            throw new IllegalArgumentException("the parts exceed the limit");
        }
    }

    /**
     * The plan of a storage peer.
     *
     * @throws InvalidSpecException when the limit is too small or too large
     */
    public static MemoryPlan forStorage(long limitBytes) {
        if (limitBytes < MINIMUM_STORAGE_BYTES || limitBytes > MAXIMUM_STORAGE_BYTES) {
            throw new InvalidSpecException(
                    "storagePeers.memory must be from 512Mi to 8Ti, but it is " + Sizes.text(limitBytes));
        }
        long heap = wholeMebibytes(Math.clamp(limitBytes / 16, MINIMUM_HEAP_BYTES, MAXIMUM_HEAP_BYTES));
        long direct = wholeMebibytes(Math.clamp(limitBytes / 32, DIRECT_BYTES, MAXIMUM_DIRECT_BYTES));
        long chunks = wholeMebibytes(limitBytes - heap - direct - JVM_BYTES);
        return new MemoryPlan(limitBytes, heap, direct, JVM_BYTES, chunks);
    }

    /**
     * The plan of a super-peer.
     *
     * @throws InvalidSpecException when the limit is too small
     */
    public static MemoryPlan forSuperPeer(long limitBytes) {
        if (limitBytes < MINIMUM_SUPER_PEER_BYTES) {
            throw new InvalidSpecException(
                    "superPeers.memory must be at least 384Mi, but it is " + Sizes.text(limitBytes));
        }
        long heap = wholeMebibytes(limitBytes - limitBytes / 8 - DIRECT_BYTES - JVM_BYTES);
        return new MemoryPlan(limitBytes, heap, DIRECT_BYTES, JVM_BYTES, 0);
    }

    /**
     * The size up to which the area for chunks may grow while the process runs. The heap is too small for a larger
     * area.
     */
    public long maxChunkBytes() {
        return Math.min(2 * chunkBytes, MAXIMUM_STORAGE_BYTES);
    }

    /** The container's memory limit when the area for chunks has its largest size. */
    public long maxLimitBytes() {
        return limitBytes + maxChunkBytes() - chunkBytes;
    }

    /** The options with which a JVM keeps to this plan. */
    public String jvmOptions() {
        return String.format(
                Locale.ROOT,
                "-XX:+UseSerialGC -Xms%1$dm -Xmx%1$dm -XX:MaxDirectMemorySize=%2$dm -XX:MaxMetaspaceSize=%3$dm"
                        + " -XX:ReservedCodeCacheSize=%4$dm -Xss512k -XX:+ExitOnOutOfMemoryError"
                        // A pod that comes back has another address with the same name.
                        + " -Dsun.net.inetaddr.ttl=1 -Dsun.net.inetaddr.negative.ttl=0",
                heapBytes >> 20,
                directBytes >> 20,
                METASPACE_MEBIBYTES,
                CODE_CACHE_MEBIBYTES);
    }

    private static long mebibytes(long count) {
        return count << 20;
    }

    private static long wholeMebibytes(long bytes) {
        return bytes >> 20 << 20;
    }
}
