package dev.granary.bench.recovery;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Processor time of the calling thread: the work of a core, also on a machine that other processes use. */
final class Cpu {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Cpu() {}

    static long nanos() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
