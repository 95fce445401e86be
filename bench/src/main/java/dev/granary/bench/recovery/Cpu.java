package dev.granary.bench.recovery;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Processor time of the calling thread: what a core does, also on a machine that others use. */
final class Cpu {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Cpu() {}

    static long nanos() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
