package dev.granary.process;

import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigSchema;

/** A process of Granary as {@link ProcessMain} runs it. */
public interface Program {

    /** The command's name, for example {@code storage-node}. */
    String name();

    /** What it does, in one sentence. */
    String description();

    /** All keys that it knows. */
    ConfigSchema schema();

    /** How it logs. */
    LogSettings logging(Config config);

    /**
     * Starts the work and returns soon; the process then lives until it is told to stop or fails.
     *
     * @param control ends the process from inside
     * @throws dev.granary.process.config.ConfigException when keys do not fit together: exit code 2
     * @throws Exception when it cannot start: exit code 1
     */
    Running start(Config config, ProcessControl control) throws Exception;

    /**
     * How a process logs.
     *
     * @param format of the lines
     * @param level the lowest level that is logged
     */
    record LogSettings(LogFormat format, LogLevel level) {}

    /** A started program. */
    @FunctionalInterface
    interface Running {
        /** Stops in an orderly way, within a few seconds. Called at most once, on a thread of its own; may block. */
        void stop() throws Exception;
    }
}
