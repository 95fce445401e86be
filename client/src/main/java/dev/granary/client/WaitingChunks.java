package dev.granary.client;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;

/**
 * Operations on single chunks for threads that wait for the answer. A thread may send its request and receive the
 * answer itself, which is faster than to have another thread do so. Thread-safe. All methods throw what {@link
 * GranaryClient#await} throws.
 *
 * <p>Operations that wait and operations that return futures travel apart: a thread that has futures under way and then
 * waits for an operation on the same chunk may be answered before they are carried out.
 */
public interface WaitingChunks {

    /** Does what {@link AsyncGranaryClient#get(long)} does. */
    byte[] get(long cid);

    /** Does what {@link AsyncGranaryClient#get(long, Importable)} does. */
    <T extends Importable> T get(long cid, T object);

    /** Does what {@link AsyncGranaryClient#put(long, byte[])} does. */
    void put(long cid, byte[] value);

    /** Does what {@link AsyncGranaryClient#put(long, Exportable)} does. */
    void put(long cid, Exportable object);

    /** Does what {@link AsyncGranaryClient#delete} does. */
    void delete(long cid);
}
