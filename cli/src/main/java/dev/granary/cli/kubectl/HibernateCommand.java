package dev.granary.cli.kubectl;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Puts a Granary to sleep, or has it go on. */
@Command(
        name = "hibernate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Have the operator stop all pods of a Granary with their memory on their volumes. Nothing is lost.",
            "'kubectl granary status' shows how far it is. Does not wait.",
        })
final class HibernateCommand implements Callable<Integer> {

    @ParentCommand
    private KubectlGranaryCommand parent = new KubectlGranaryCommand();

    @Parameters(paramLabel = "NAME", description = "The Granary.")
    private String name = "";

    @Option(names = "--wake", description = "Start the pods again; they go on where they stopped.")
    private boolean wake;

    @Override
    public Integer call() {
        String patch = "{\"spec\":{\"hibernate\":" + !wake + "}}";
        return parent.kubectl().pass("patch", "granary", name, "--type=merge", "--patch", patch);
    }
}
