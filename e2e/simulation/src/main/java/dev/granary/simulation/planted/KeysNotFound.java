package dev.granary.simulation.planted;

import dev.granary.memory.ChunkMemory;
import dev.granary.overlay.Cid;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.ChunkMemoryFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A chunk memory that does not show every entry of a slot group to who goes over all of its LIDs. */
final class KeysNotFound {

    /** One LID in this many is not shown. */
    private static final int ONE_IN = 4;

    private long lastCid;

    private KeysNotFound() {}

    static ChunkMemoryFactory of(ChunkMemoryFactory memories) {
        return config -> new KeysNotFound().over(memories.open(config));
    }

    private ChunkMemory over(ChunkMemory memory) {
        return (ChunkMemory) Proxy.newProxyInstance(
                ChunkMemory.class.getClassLoader(),
                new Class<?>[] {ChunkMemory.class},
                (proxy, method, arguments) -> call(memory, method, arguments));
    }

    private @Nullable Object call(ChunkMemory memory, Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("get") && arguments[0] instanceof Long cid) {
            boolean next = cid == lastCid + 1;
            lastCid = cid;
            if (next && SlotGroup.isGroup(Cid.nid(cid)) && Cid.lid(cid) % ONE_IN == 0) {
                return ChunkMemory.ABSENT;
            }
        }
        try {
            return method.invoke(memory, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
