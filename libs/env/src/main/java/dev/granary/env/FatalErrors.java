package dev.granary.env;

/**
 * For code that catches what it calls throws, or whose caller does so. Errors of the virtual machine must end the
 * process (ADR 0169). The uncaught-exception handler decides that, as for a thread that ends with such an error: the
 * handler of the thread if it has its own, otherwise the one of the process.
 */
public final class FatalErrors {

    private FatalErrors() {}

    /**
     * Passes on an error after which nothing can be relied on; does nothing for anything else. Any thread may call it.
     */
    public static void tell(Throwable thrown) {
        if (thrown instanceof VirtualMachineError) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
