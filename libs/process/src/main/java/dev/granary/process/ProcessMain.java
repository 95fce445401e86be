package dev.granary.process;

import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a {@link Program} as a process: command line, configuration, logging, orderly stop.
 *
 * <p>Exit codes: 0 after SIGTERM or SIGINT and an orderly stop, 1 after a failure or a stop that took longer than
 * {@link #STOP_LIMIT_SECONDS}, 2 for a wrong command line or configuration.
 */
public final class ProcessMain implements ProcessControl {

    public static final int EXIT_OK = 0;
    public static final int EXIT_FAILURE = 1;
    public static final int EXIT_USAGE = 2;

    /** Kubernetes kills after 30 seconds by default; an orderly stop takes a few. */
    public static final int STOP_LIMIT_SECONDS = 15;

    private static final String NETTY_LEAKS = "io.netty.leakDetection.level";

    private static final Logger LOG = LoggerFactory.getLogger(ProcessMain.class);

    private final Program program;
    private final AtomicInteger exitCode = new AtomicInteger(EXIT_OK);
    private final CompletableFuture<Program.Running> started = new CompletableFuture<>();

    private ProcessMain(Program program) {
        this.program = program;
    }

    /** A {@code main} method calls it; it returns when the program runs, or ends the process. */
    public static void run(Program program, String[] args) {
        CommandLine line = CommandLine.parse(args);
        switch (line.action()) {
            case RUN -> new ProcessMain(program).start(line.configFile(), System.getenv());
            case HELP -> printHelp(program);
            case VERSION -> System.out.println(program.name() + " " + Version.current());
            case WRONG -> {
                System.err.println(program.name() + ": " + line.complaint());
                System.err.println("Usage: " + usage(program) + ". See --help for all keys.");
                exit(EXIT_USAGE);
            }
        }
    }

    private void start(@Nullable Path configFile, Map<String, String> environment) {
        Config config;
        try {
            config = Config.load(program.schema(), configFile, environment);
        } catch (ConfigException e) {
            complain(e);
            exit(EXIT_USAGE);
            return;
        }
        leaveOutLeakDetection();
        Program.LogSettings logging = program.logging(config);
        Logging.configure(logging.format(), logging.level());
        Thread.setDefaultUncaughtExceptionHandler(this::uncaught);
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndHalt, "stop"));
        try {
            started.complete(program.start(config, this));
        } catch (ConfigException e) {
            complain(e);
            abortStart(EXIT_USAGE, e);
        } catch (Throwable e) {
            LOG.atError().setCause(e).log("{} cannot start: {}", program.name(), String.valueOf(e.getMessage()));
            abortStart(EXIT_FAILURE, e);
        }
    }

    private void uncaught(Thread thread, Throwable thrown) {
        LOG.atError().setCause(thrown).addKeyValue("thread", thread.getName()).log("uncaught failure in a thread");
        if (thrown instanceof VirtualMachineError) {
            fail("it cannot go on after " + thrown, thrown);
        }
    }

    private void abortStart(int code, Throwable cause) {
        exitCode.set(code);
        started.completeExceptionally(cause);
        exit(code);
    }

    @Override
    public void fail(String reason, @Nullable Throwable cause) {
        if (exitCode.compareAndSet(EXIT_OK, EXIT_FAILURE)) {
            LOG.atError().setCause(cause).log("{} stops: {}", program.name(), reason);
            // On a thread of its own: exit() blocks until the hook is done, and the hook may wait for the caller's
            // thread.
            new Thread(() -> exit(EXIT_FAILURE), "fail").start();
        }
    }

    /** The shutdown hook. Halts with a code of ours: on its own the JVM would end with 143 after SIGTERM. */
    private void stopAndHalt() {
        if (!started.isCompletedExceptionally()) {
            LOG.atInfo().log("{} is stopping", program.name());
            boolean orderly = stopWithinLimit();
            if (!orderly) {
                exitCode.compareAndSet(EXIT_OK, EXIT_FAILURE);
            }
            LOG.atInfo().addKeyValue("exitCode", exitCode.get()).log("{} has stopped", program.name());
        }
        System.out.flush();
        Runtime.getRuntime().halt(exitCode.get());
    }

    private boolean stopWithinLimit() {
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("stop-work").start(() -> {
            try {
                started.get().stop();
                stopped.complete(true);
            } catch (Throwable e) {
                LOG.atError().setCause(e).log("the stop failed");
                stopped.complete(false);
            }
        });
        try {
            return stopped.get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.atError().addKeyValue("limitSeconds", STOP_LIMIT_SECONDS).log("the stop takes too long, giving up");
        } catch (InterruptedException | ExecutionException e) {
            LOG.atError().setCause(e).log("the stop failed");
        }
        return false;
    }

    private void complain(ConfigException e) {
        System.err.println(program.name() + ": wrong configuration");
        e.errors().forEach(error -> System.err.println("  " + error));
        System.err.println("See --help for all keys.");
    }

    /**
     * Switches off what Netty does by default to find buffers that were not released, a stack trace for each 128th
     * buffer. That costs 1 % of the processor time of puts with copies, and tests look at each buffer.
     */
    static void leaveOutLeakDetection() {
        if (System.getProperty(NETTY_LEAKS) == null) {
            System.setProperty(NETTY_LEAKS, "disabled");
        }
    }

    private static void printHelp(Program program) {
        PrintStream out = System.out;
        out.println("Usage: " + usage(program));
        out.println(program.description());
        out.println();
        out.println("Keys of FILE (Java properties form, UTF-8). A variable of the environment overrides each one:");
        out.println("GRANARY_ and the key in upper case with underscores, such as GRANARY_LOG_LEVEL for log.level.");
        out.println();
        out.print(program.schema().toHelp());
        out.println();
        out.println("Exit codes: 0 stopped by SIGTERM or SIGINT, 1 failure, 2 wrong configuration or usage.");
    }

    private static String usage(Program program) {
        return program.name() + " [--config FILE] [--help] [--version]";
    }

    private static void exit(int code) {
        System.exit(code);
    }
}
