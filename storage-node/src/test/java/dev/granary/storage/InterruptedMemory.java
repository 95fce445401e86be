package dev.granary.storage;

import dev.granary.memory.ChunkMemory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The real memory with a hook: after each batch get, create with bytes, replace and batch delete, and before each
 * insert.
 */
final class InterruptedMemory {

    private InterruptedMemory() {}

    static ChunkMemory of(ChunkMemory memory, Runnable beforeInserts, Runnable afterAccess, Runnable afterDeletes) {
        return (ChunkMemory) Proxy.newProxyInstance(
                ChunkMemory.class.getClassLoader(), new Class<?>[] {ChunkMemory.class}, (self, method, arguments) -> {
                    if (method.getName().equals("insert")) {
                        beforeInserts.run();
                    }
                    Object result;
                    try {
                        result = method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("delete") && arguments.length == 4) {
                        afterDeletes.run();
                    }
                    if (interrupts(method)) {
                        afterAccess.run();
                    }
                    return result;
                });
    }

    private static boolean interrupts(Method method) {
        int parameters = method.getParameterCount();
        return switch (method.getName()) {
            case "get" -> parameters == 7;
            case "create" -> parameters == 3;
            case "replace" -> parameters == 4;
            default -> false;
        };
    }
}
