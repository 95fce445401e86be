package dev.granary.tools.bench.network;

import dev.granary.bench.network.LoopFigures;
import dev.granary.bench.network.LoopRequest;
import dev.granary.tools.bench.process.JsonProcess;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process with a client, which measures what it is told. It ends when this is closed, and with this process. */
final class ClientProcess implements AutoCloseable {

    private static final long LOAD_SECONDS = 1_800;

    /** More than a busy machine takes to begin and to end a measurement. */
    private static final long MORE_SECONDS = 300;

    private final JsonProcess process;

    private ClientProcess(JsonProcess process) {
        this.process = process;
    }

    /**
     * Starts a process and waits until it has loaded its objects.
     *
     * @throws dev.granary.cli.base.UserException when it does not start; its standard error has been shown
     */
    static ClientProcess start(ClientKind kind, ProcessBuilder builder) {
        JsonProcess process = JsonProcess.start("the process with the client " + kind, builder, null);
        try {
            var _ = process.answer(Map.class, LOAD_SECONDS);
            return new ClientProcess(process);
        } catch (RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /**
     * Measures.
     *
     * @throws dev.granary.cli.base.UserException when the client fails; its standard error has been shown
     */
    LoopFigures measure(LoopRequest request) {
        return process.ask(
                request, LoopFigures.class, TimeUnit.MILLISECONDS.toSeconds(request.millis()) + MORE_SECONDS);
    }

    @Override
    public void close() {
        process.close();
    }
}
