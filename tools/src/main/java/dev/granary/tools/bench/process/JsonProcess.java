package dev.granary.tools.bench.process;

import dev.granary.bench.stores.JsonLines;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ExitHook;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that answers lines of JSON by lines of JSON, and ends with its input. It ends when this is closed, and with
 * this process.
 */
public final class JsonProcess implements AutoCloseable {

    private static final long END_SECONDS = 30;
    private static final int LAST_BYTES = 1_500;

    private final String name;
    private final Process process;
    private final @Nullable Path log;
    private final Writer requests;
    private final ExitHook hook;

    /** Lines of its output; an empty one at its end. */
    private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();

    private JsonProcess(String name, Process process, @Nullable Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.requests = process.outputWriter(StandardCharsets.UTF_8);
        this.hook = ExitHook.begin("end-of-" + process.pid(), process::destroy);
        Thread.ofPlatform().daemon().name("answers-of-" + process.pid()).start(this::read);
    }

    /**
     * Starts a process.
     *
     * @param name in messages
     * @param log gets its standard error; null leaves that where the builder sends it
     * @throws UserException when it cannot be started
     */
    public static JsonProcess start(String name, ProcessBuilder builder, @Nullable Path log) {
        try {
            if (log != null) {
                builder.redirectError(log.toFile());
            }
            return new JsonProcess(name, builder.start(), log);
        } catch (IOException e) {
            throw new UserException(name + " cannot be started: " + e.getMessage(), e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(Optional.of(line));
            }
        } catch (IOException e) {
            // It has ended, which the next line says.
        }
        answers.add(Optional.empty());
    }

    /**
     * Asks and waits for the answer.
     *
     * @throws UserException when there is none within the time
     */
    public <T> T ask(Object request, Class<T> type, long seconds) {
        try {
            requests.write(JsonLines.write(request) + "\n");
            requests.flush();
        } catch (IOException e) {
            throw failure("has ended", e);
        }
        return answer(type, seconds);
    }

    /**
     * Waits for the next line that it prints by itself, or for an answer.
     *
     * @throws UserException when there is none within the time
     */
    public <T> T answer(Class<T> type, long seconds) {
        try {
            Optional<String> line = answers.poll(seconds, TimeUnit.SECONDS);
            if (line == null) {
                throw failure("has not answered for " + seconds + " s", null);
            }
            return JsonLines.read(line.orElseThrow(() -> failure("has ended", null)), type);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }

    private UserException failure(String what, @Nullable Throwable cause) {
        return new UserException(name + " " + what + lastWords(), cause);
    }

    private String lastWords() {
        if (log == null) {
            return "";
        }
        try {
            String text = Files.readString(log).strip();
            return text.isEmpty() ? "" : ":\n" + text.substring(Math.max(0, text.length() - LAST_BYTES));
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        hook.close();
        try {
            requests.close();
        } catch (IOException e) {
            // It has ended by itself.
        }
        ProcessEnd.await(process, END_SECONDS);
    }
}
