package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.UserException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Has the operator give a Granary another secret, while it runs. */
@Command(
        name = "change-secret",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Give the nodes and administrators of a Granary another secret, by three rolling restarts of its pods.",
            "The cluster serves meanwhile. 'kubectl granary status' shows how far it is. Does not wait.",
            "Programs of yours that administer need the new content of the Secret NAME-granary before the third.",
        })
final class ChangeSecretCommand implements Callable<Integer> {

    private static final String WISH = "granary.dev/change-secret";

    @ParentCommand
    private KubectlGranaryCommand parent = new KubectlGranaryCommand();

    @Parameters(paramLabel = "NAME", description = "The Granary.")
    private String name = "";

    @Override
    public Integer call() {
        JsonNode status = parent.kubectl().get("granary", name).path("status");
        if (status.has("clusterId") && !status.has("secret")) {
            throw new UserException(
                    "Granary " + name + " has no secret that could be changed: its status tells of none."
                            + " It was made before there were secrets, or its operator is older than this command");
        }
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        return parent.kubectl().pass("annotate", "--overwrite", "granary", name, WISH + "=" + now);
    }
}
