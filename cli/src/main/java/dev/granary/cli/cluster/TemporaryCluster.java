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
 * A local cluster in a directory of its own, gone when this is closed: its processes stopped, the directory deleted. An
 * end of this process by a signal (Ctrl-C) interrupts the thread that opened it until it closes it,
 * and waits until that is done.
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
     * Makes the directory; nothing is started yet.
     *
     * @param name of the command that wants it, a part of the directory's name
     * @param headings is told what has become of it, for people
     * @param text is told each step
     * @param keep whether a cluster that was started stays when this is closed
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

    /** Starts what is missing of the cluster, with these options of each process. */
    public LocalCluster start(LocalCluster.Plan plan, JvmOptions options) {
        return LocalCluster.start(directory, plan, options, text);
    }

    /** Where its files are. */
    public Path directory() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        // An interrupt has done its work by now; it must not keep the processes from being stopped.
        boolean interrupted = beginClosing();
        try {
            Optional<LocalCluster> cluster = LocalCluster.find(directory);
            if (keep && !interrupted && cluster.isPresent()) {
                headings.accept("The cluster is still running");
                text.accept("granary status --dir " + directory);
                text.accept("granary down --dir " + directory + " --wipe");
            } else {
                cluster.ifPresent(running -> running.stop(step -> {}));
                // Even when the cluster was not started far enough to be known by its directory.
                Directories.delete(directory);
                headings.accept("The cluster is stopped and its directory deleted.");
            }
        } finally {
            closed.countDown();
            hook.close();
        }
    }

    /**
     * Interrupts again and again, for what the owner is in may swallow an interrupt (the progress bar's start does).
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

    /** From here on the owner is not interrupted any more; returns whether it has been. */
    private synchronized boolean beginClosing() {
        closing.countDown();
        return Thread.interrupted();
    }
}
