package dev.granary.raft;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Registers with 64-bit values; a state of several pieces even when it is small. */
final class Registers implements ReplicatedStateMachine {

    private static final int BYTES = 2 * Long.BYTES;

    private final TreeMap<Long, Long> values = new TreeMap<>();
    private int installed;

    static byte[] write(long register, long value) {
        return ByteBuffer.allocate(BYTES).putLong(register).putLong(value).array();
    }

    static byte[] read(long register) {
        return ByteBuffer.allocate(Long.BYTES).putLong(register).array();
    }

    static long value(byte[] answer) {
        return ByteBuffer.wrap(answer).getLong();
    }

    /** How often a snapshot was taken over. */
    int installed() {
        return installed;
    }

    long valueOf(long register) {
        return values.getOrDefault(register, 0L);
    }

    @Override
    public byte[] apply(long index, byte[] command) {
        ByteBuffer in = ByteBuffer.wrap(command);
        long register = in.getLong();
        Long previous = values.put(register, in.getLong());
        return read(previous == null ? 0 : previous);
    }

    @Override
    public byte[] query(byte[] question) {
        return read(valueOf(ByteBuffer.wrap(question).getLong()));
    }

    @Override
    public void takeSnapshot(Consumer<byte[]> chunks) {
        chunks.accept(new byte[0]);
        values.forEach((register, value) -> chunks.accept(write(register, value)));
    }

    @Override
    public void installSnapshot(List<byte[]> chunks) {
        values.clear();
        installed++;
        for (byte[] chunk : chunks) {
            if (chunk.length == BYTES) {
                apply(0, chunk);
            }
        }
    }
}
