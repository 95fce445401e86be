package dev.granary.env;

/**
 * For code that catches what it calls throws, or whose caller does so: errors of the virtual machine must end the
 * process (ADR 0169), and who decides that is the uncaught-exception handler, as for a thread that ends with one: the
 * one of the process, or of a thread that has its own.
 */
public final class FatalErrors {

    private FatalErrors() {}

    /**
     * Tells the process of an error after which nothing can be relied on; does nothing for anything else. Any thread.
     */
    public static void tell(Throwable thrown) {
        if (thrown instanceof VirtualMachineError) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
