package dev.granary.superpeer.state;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.log.CommandLog;
import dev.granary.log.RecordLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state machine whose commands are on disk before they are carried out. Commands that come together share one sync:
 * all that were handed in before the scheduler gets to the writing task. When the log has grown, the state is written
 * as a snapshot and the log starts afresh. Used by tasks of one scheduler only, which the writing blocks for the time of
 * a sync (ADR 0081).
 *
 * <p>A failure of the disk is final: what survived is known only after the log has been opened again, so nothing is
 * carried out, nothing more is written, and the owner is told once.
 *
 * @param <C> the commands
 * @param <R> their results
 */
public final class Journal<C, R> {

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    /** A log with more bytes of commands than this gives way to a snapshot. */
    static final long SNAPSHOT_AFTER_BYTES = 1 << 20;

    private final StateMachine<C, R> machine;
    private final RecordLog log;
    private final Scheduler scheduler;
    private final Consumer<Exception> onFailure;
    private List<Pending<C, R>> pending = new ArrayList<>();
    private @Nullable Exception ended;

    private record Pending<C, R>(C command, ByteBuf bytes, CompletableFuture<R> result) {}

    private Journal(StateMachine<C, R> machine, RecordLog log, Scheduler scheduler, Consumer<Exception> onFailure) {
        this.machine = machine;
        this.log = log;
        this.scheduler = scheduler;
        this.onFailure = onFailure;
    }

    /**
     * Opens a log, which is created when there is none, and brings the state machine to where it was.
     *
     * @param name of the log's files
     * @param machine in its initial state
     * @param onFailure told once, by a task of the scheduler, when the disk fails later
     * @throws IOException when the disk fails or holds what this program does not understand
     */
    public static <C, R> Journal<C, R> open(
            Environment environment, String name, StateMachine<C, R> machine, Consumer<Exception> onFailure)
            throws IOException {
        RecordLog log = RecordLog.open(environment.disk(), name);
        try {
            log.replay(new Replayer<>(machine));
        } catch (RuntimeException e) {
            log.close();
            throw new IOException("the log '" + name + "' holds what this program does not understand: " + e, e);
        }
        LOG.atInfo()
                .addKeyValue("log", name)
                .addKeyValue("lastSequence", log.lastSequence())
                .addKeyValue("snapshotSequence", log.report().snapshotSequence())
                .addKeyValue("tornBytes", log.report().tornBytes())
                .log("opened a log");
        return new Journal<>(machine, log, environment.scheduler(), onFailure);
    }

    private record Replayer<C, R>(StateMachine<C, R> machine) implements CommandLog.Replay {

        @Override
        public void snapshot(long lastSequence, byte[] state) {
            machine.readSnapshot(Unpooled.wrappedBuffer(state));
        }

        @Override
        public void command(long sequence, byte[] command) {
            ByteBuf in = Unpooled.wrappedBuffer(command);
            C decoded = machine.decode(in);
            if (in.isReadable()) {
                throw new IllegalArgumentException(
                        "command " + sequence + " has " + in.readableBytes() + " bytes too many");
            }
            R result = machine.apply(decoded);
            LOG.atTrace().addKeyValue("sequence", sequence).log("{} -> {}", decoded, result);
        }
    }

    /**
     * Makes a command durable and carries it out.
     *
     * @throws IllegalArgumentException when the command cannot be written
     * @return completes with the result as a task of the scheduler; fails when the journal is closed or the disk fails
     */
    public CompletableFuture<R> commit(C command) {
        CompletableFuture<R> result = new CompletableFuture<>();
        if (ended != null) {
            result.completeExceptionally(ended);
            return result;
        }
        ByteBuf out = Unpooled.buffer();
        machine.encode(command, out);
        pending.add(new Pending<>(command, out, result));
        if (pending.size() == 1) {
            scheduler.execute(this::write);
        }
        return result;
    }

    /** Writes all commands that are waiting, with one sync, and carries them out in their order. */
    private void write() {
        List<Pending<C, R>> group = pending;
        pending = new ArrayList<>();
        if (ended != null) {
            failAll(group, ended);
            return;
        }
        try {
            for (Pending<C, R> each : group) {
                log.append(ByteBufUtil.getBytes(each.bytes));
            }
            log.sync();
        } catch (IOException | RuntimeException e) {
            fail(group, e);
            return;
        }
        for (Pending<C, R> each : group) {
            each.result.complete(machine.apply(each.command));
        }
        compactIfLong();
    }

    private void compactIfLong() {
        if (ended != null || log.bytesSinceSnapshot() < SNAPSHOT_AFTER_BYTES) {
            return;
        }
        try {
            ByteBuf out = Unpooled.buffer();
            machine.writeSnapshot(out);
            log.snapshot(ByteBufUtil.getBytes(out));
        } catch (IOException | RuntimeException e) {
            fail(List.of(), e);
        }
    }

    private void fail(List<Pending<C, R>> group, Exception cause) {
        ended = cause;
        failAll(group, cause);
        onFailure.accept(cause);
    }

    private static <C, R> void failAll(List<Pending<C, R>> group, Exception cause) {
        group.forEach(each -> each.result.completeExceptionally(cause));
    }

    /** Closes the log. What is waiting fails. */
    public void close() {
        List<Pending<C, R>> group = pending;
        pending = new ArrayList<>();
        if (ended == null) {
            ended = new IOException("the log is closed");
        }
        failAll(group, ended);
        try {
            log.close();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("closing a log failed");
        }
    }
}
