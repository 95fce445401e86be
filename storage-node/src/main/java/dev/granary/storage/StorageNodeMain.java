package dev.granary.storage;

import dev.granary.process.NodeConfig;
import dev.granary.process.NodeRuntime;
import dev.granary.process.ProcessControl;
import dev.granary.process.ProcessMain;
import dev.granary.process.Program;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigSchema;

/** The process of a storage peer. */
public final class StorageNodeMain implements Program {

    private StorageNodeMain() {}

    /** Runs until SIGTERM; see {@link ProcessMain} for the exit codes. */
    public static void main(String[] args) {
        ProcessMain.run(new StorageNodeMain(), args);
    }

    @Override
    public String name() {
        return "storage-node";
    }

    @Override
    public String description() {
        return "Stores chunks in RAM and serves them to clients, as a storage peer of a Granary cluster. Other storage"
                + " peers keep copies of its chunks in their logs, and it keeps copies of theirs.";
    }

    @Override
    public ConfigSchema schema() {
        return StorageKeys.schema();
    }

    @Override
    public LogSettings logging(Config config) {
        NodeConfig node = StorageKeys.NODE.read(config, NodeRuntime.hostName());
        return new LogSettings(node.logFormat(), node.logLevel());
    }

    @Override
    public Running start(Config config, ProcessControl control) throws Exception {
        return StorageProcess.start(config, control);
    }
}
