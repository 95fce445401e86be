package dev.granary.process;

import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigSchema;
import dev.granary.process.config.ConfigTypes;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A program for {@link ProcessMainTest}. */
final class SampleProgram implements Program {

    enum Mode {
        RUN,
        FAIL,
        THROW,
        CONFLICT
    }

    private static final ConfigKey<Mode> MODE =
            ConfigKey.required("sample.mode", ConfigTypes.choice(Mode.class), "What to do.");
    private static final ConfigKey<LogFormat> FORMAT =
            ConfigKey.withDefault("log.format", ConfigTypes.choice(LogFormat.class), "text", "Format.");

    private static final Logger LOG = LoggerFactory.getLogger(SampleProgram.class);

    public static void main(String[] args) {
        ProcessMain.run(new SampleProgram(), args);
    }

    @Override
    public String name() {
        return "sample";
    }

    @Override
    public String description() {
        return "Shows what a process does.";
    }

    @Override
    public ConfigSchema schema() {
        return new ConfigSchema(List.of(MODE, FORMAT));
    }

    @Override
    public LogSettings logging(Config config) {
        return new LogSettings(config.get(FORMAT), LogLevel.INFO);
    }

    @Override
    public Running start(Config config, ProcessControl control) {
        switch (config.get(MODE)) {
            case RUN -> LOG.atInfo().addKeyValue("mode", "run").log("sample runs");
            case FAIL -> control.fail("it was told to", null);
            case THROW -> throw new IllegalStateException("planted");
            case CONFLICT -> throw ConfigException.of(MODE, "conflict", "fits nothing", "anything else");
        }
        CountDownLatch stop = new CountDownLatch(1);
        Thread worker = new Thread(
                () -> {
                    try {
                        stop.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "worker");
        worker.start();
        return () -> {
            stop.countDown();
            worker.join();
            LOG.info("sample stopped its work");
        };
    }
}
