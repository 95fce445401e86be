package dev.granary.cli.backup;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The progress of a cluster backup or of a restore. Thread-safe. */
public final class BackupProgress {

    private final AtomicLong chunks = new AtomicLong();
    private final AtomicLong payloadBytes = new AtomicLong();
    private final AtomicLong keys = new AtomicLong();
    private final AtomicLong keyBytes = new AtomicLong();
    private final AtomicLong peers = new AtomicLong();
    private volatile long totalChunks;
    private volatile long totalPayloadBytes;
    private volatile long totalPeers;
    private volatile String step = "connecting";

    void begin(String newStep) {
        step = newStep;
    }

    void expect(long newChunks, long newPayloadBytes, long newPeers) {
        totalChunks = newChunks;
        totalPayloadBytes = newPayloadBytes;
        totalPeers = newPeers;
    }

    void done(long moreChunks, long moreBytes) {
        chunks.addAndGet(moreChunks);
        payloadBytes.addAndGet(moreBytes);
    }

    void keysDone(long moreKeys, long moreBytes) {
        keys.addAndGet(moreKeys);
        keyBytes.addAndGet(moreBytes);
    }

    void peerDone() {
        peers.incrementAndGet();
    }

    /** The number of chunks done so far. */
    public long chunks() {
        return chunks.get();
    }

    /** The bytes in the chunks done so far. */
    public long payloadBytes() {
        return payloadBytes.get();
    }

    /** The number of keys done so far. */
    public long keys() {
        return keys.get();
    }

    /** The bytes in the keys done so far, and in their values. */
    public long keyBytes() {
        return keyBytes.get();
    }

    /** The expected number of chunks, an estimate. */
    public long totalChunks() {
        return totalChunks;
    }

    /** The present step, for people. */
    public String step() {
        return step;
    }

    /** The progress as JSON fields, for programs. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("step", step);
        map.put("chunks", chunks.get());
        map.put("totalChunks", totalChunks);
        map.put("bytes", payloadBytes.get());
        map.put("totalBytes", totalPayloadBytes);
        map.put("keys", keys.get());
        map.put("peers", peers.get());
        map.put("totalPeers", totalPeers);
        return map;
    }
}
