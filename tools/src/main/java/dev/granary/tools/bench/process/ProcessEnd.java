package dev.granary.tools.bench.process;

import java.util.concurrent.TimeUnit;

/** Waits for processes that have been told to end. */
public final class ProcessEnd {

    private ProcessEnd() {}

    /** Waits until a process has ended. Kills it when that takes longer, or when this thread is interrupted. */
    public static void await(Process process, long seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
