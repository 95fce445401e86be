package dev.granary.tools;

import dev.granary.cli.Extension;
import dev.granary.tools.bench.BenchCommand;
import dev.granary.tools.demo.DemoCommand;
import dev.granary.tools.simulate.SimulateCommand;
import dev.granary.tools.train.TrainCommand;
import java.util.List;

/** Adds the commands of this module to {@code granary}. */
public final class ToolCommands implements Extension {

    @Override
    public List<Class<?>> commands() {
        return List.of(DemoCommand.class, BenchCommand.class, SimulateCommand.class, TrainCommand.class);
    }

    @Override
    public List<String> hints() {
        return List.of("See it first: 'granary demo' shows a real graph in a local cluster.");
    }
}
