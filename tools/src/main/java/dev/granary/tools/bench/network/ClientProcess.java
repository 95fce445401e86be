package dev.granary.tools.bench.network;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.bench.network.LoopFigures;
import dev.granary.bench.network.LoopRequest;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ExitHook;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process with a client, which measures what it is told. It ends when this is closed, and with this process. */
final class ClientProcess implements AutoCloseable {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long END_SECONDS = 20;

    private final ClientKind kind;
    private final Process process;
    private final BufferedReader answers;
    private final Writer requests;
    private final ExitHook hook;

    private ClientProcess(ClientKind kind, Process process) {
        this.kind = kind;
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.requests = process.outputWriter(StandardCharsets.UTF_8);
        this.hook = ExitHook.begin("end-of-client-" + process.pid(), process::destroy);
    }

    /**
     * Starts a process and waits until it has loaded its objects.
     *
     * @throws UserException when it does not start; its standard error has been shown
     */
    static ClientProcess start(ClientKind kind, ProcessBuilder builder) {
        try {
            ClientProcess client = new ClientProcess(kind, builder.start());
            try {
                client.answer();
                return client;
            } catch (RuntimeException e) {
                client.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UserException("the process with the client " + kind + " cannot be run: " + e.getMessage(), e);
        }
    }

    /**
     * Measures.
     *
     * @throws UserException when the client fails; its standard error has been shown
     */
    LoopFigures measure(LoopRequest request) {
        try {
            requests.write(Json.compact(request) + "\n");
            requests.flush();
        } catch (IOException e) {
            throw ended(e);
        }
        String answer = answer();
        try {
            return MAPPER.readValue(answer, LoopFigures.class);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("no figures: " + answer, e);
        }
    }

    private String answer() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw ended(null);
            }
            return line;
        } catch (IOException e) {
            throw ended(e);
        }
    }

    private UserException ended(@Nullable IOException cause) {
        return new UserException("the process with the client " + kind + " has ended", cause);
    }

    @Override
    public void close() {
        hook.close();
        try {
            requests.close();
        } catch (IOException e) {
            // It has ended by itself.
        }
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
