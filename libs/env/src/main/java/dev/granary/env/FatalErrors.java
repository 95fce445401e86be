package dev.granary.env;

/**
 * For code that catches what it calls throws, or whose caller does so: errors of the virtual machine must end the process (ADR
 * 0169), and who decides that is the uncaught-exception handler of the process, as for a thread that ends with one.
 */
public final class FatalErrors {

    private FatalErrors() {}

    /** Tells the process of an error after which nothing can be relied on; does nothing for anything else. Any thread. */
    public static void tell(Throwable thrown) {
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        if (thrown instanceof VirtualMachineError && handler != null) {
            handler.uncaughtException(Thread.currentThread(), thrown);
        }
    }
}
