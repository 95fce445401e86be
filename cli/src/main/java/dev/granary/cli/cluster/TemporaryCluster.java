package dev.granary.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A local cluster in its own directory. Closing it stops its processes and deletes the directory. When a signal
 * (Ctrl-C) ends this process, it interrupts the thread that opened the cluster until that thread closes it, and waits
 * until it is closed.
 */
public final class TemporaryCluster implements AutoCloseable {

    private static final long INTERRUPT_INTERVAL_MILLIS = 200;
    private static final long CLOSE_LIMIT_SECONDS = 90;

    private final Consumer<String> headings;
    private final Consumer<String> text;
    private final boolean keep;
    private final Path directory;
    private final Thread owner = Thread.currentThread();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExitHook hook;

    /**
     * Makes the directory and starts nothing.
     *
     * @param name the name of the command, a part of the directory's name
     * @param headings gets a line about what became of the cluster, for people
     * @param text gets a line for each step
     * @param keep whether a started cluster keeps running after this is closed
     */
    public TemporaryCluster(String name, Consumer<String> headings, Consumer<String> text, boolean keep)
            throws IOException {
        this.headings = headings;
        this.text = text;
        this.keep = keep;
        this.directory = Files.createTempDirectory("granary-" + name + "-");
        this.hook = ExitHook.begin("temporary-cluster-cleanup", this::endOwner);
    }

    /** Starts the cluster. */
    public LocalCluster start(LocalCluster.Plan plan) {
        text.accept(String.format(Locale.ROOT, "in %s", directory));
        return LocalCluster.start(directory, plan, text);
    }

    /** Starts the cluster's processes that do not run, with these additional JVM options. */
    public LocalCluster start(LocalCluster.Plan plan, JvmOptions options) {
        return LocalCluster.start(directory, plan, options, text);
    }

    /** The directory of its files. */
    public Path directory() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        // Clears the interrupt: it has brought the owner here, and it would keep the processes from being stopped.
        boolean interrupted = beginClosing();
        try {
            Optional<LocalCluster> cluster = LocalCluster.find(directory);
            if (keep && !interrupted && cluster.isPresent()) {
                headings.accept("The cluster is still running");
                text.accept("granary status --dir " + directory);
                text.accept("granary down --dir " + directory + " --wipe");
            } else {
                cluster.ifPresent(running -> running.stop(step -> {}));
                // Also when the start failed before the directory described a cluster.
                Directories.delete(directory);
                headings.accept("The cluster is stopped and its directory deleted.");
            }
        } finally {
            closed.countDown();
            hook.close();
        }
    }

    /**
     * Interrupts repeatedly, because the owner's code may swallow an interrupt, as the start of the progress bar does.
     */
    private void endOwner() {
        try {
            do {
                interruptUnlessClosing();
            } while (!closing.await(INTERRUPT_INTERVAL_MILLIS, TimeUnit.MILLISECONDS));
            closed.await(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void interruptUnlessClosing() {
        if (closing.getCount() > 0) {
            owner.interrupt();
        }
    }

    /** Ends the interrupts and clears the last one. Returns whether the owner was interrupted. */
    private synchronized boolean beginClosing() {
        closing.countDown();
        return Thread.interrupted();
    }
}
