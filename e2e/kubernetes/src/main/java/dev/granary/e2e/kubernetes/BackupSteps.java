package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.time.Duration;
import java.util.List;

/** A cluster backup of a cluster that serves, restored into a new cluster of another size. */
final class BackupSteps {
    /** The name of this case on the command line. */
    static final String NAME = "backup-restore";

    /** The kind of backups. */
    static final String BACKUP = "granarybackups";

    private static final String RESTORE = "granaryrestores";
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Target target;
    private final ClusterSteps cluster;
    private final DataSteps data;

    BackupSteps(Target target, ClusterSteps cluster, DataSteps data) {
        this.target = target;
        this.cluster = cluster;
        this.data = data;
    }

    List<Step> all() {
        return List.of(
                backsUp(),
                restores(),
                data.readsBack("from the new cluster", "verify-restored", "social-new:7400"),
                removed());
    }

    private Step backsUp() {
        return Step.of("a GranaryBackup has every chunk and every key of the cluster", () -> {
            long chunks = cluster.chunks();
            apply(Resources.BACKUP);
            Target.await("the backup is complete", LIMIT, () -> isOver(BACKUP, "before-the-move"));
            JsonNode backup = target.get(Target.NAMESPACE, BACKUP, "before-the-move");
            // To the cluster each key is a chunk.
            long keys = backup.at("/status/keys").asLong();
            Check.that(
                    backup.at("/status/chunks").asLong() + keys == chunks,
                    "%d chunks, and in the backup: %s",
                    chunks,
                    backup.path("status"));
            return get(BACKUP);
        });
    }

    private Step restores() {
        return Step.of("a GranaryRestore lays it into a new cluster of two storage peers", () -> {
            apply(Resources.RESTORE);
            Target.await("the restoration is complete", LIMIT, () -> isOver(RESTORE, "into-new"));
            return get(RESTORE) + get("granaries");
        });
    }

    private Step removed() {
        return Step.of("deleting the resources leaves the volume, and nothing else", () -> {
            for (String what : List.of(RESTORE + "/into-new", BACKUP + "/before-the-move", "granaries/social-new")) {
                delete(what);
            }
            Target.await("no Job and no pod of theirs is left", LIMIT, () -> target.kubectl()
                    .run("get", "jobs,pods", "-n", Target.NAMESPACE, "-o", "name")
                    .lines()
                    .noneMatch(name -> name.contains("before-the-move")
                            || name.contains("into-new")
                            || name.contains("social-new")));
            String claim = target.kubectl().run("get", "pvc/backups", "-n", Target.NAMESPACE);
            delete("pvc/backups");
            return claim;
        });
    }

    private boolean isOver(String kind, String name) throws Exception {
        return isOver(target, kind, name);
    }

    /** Whether a backup or a restoration is complete; throws if it has failed. */
    static boolean isOver(Target target, String kind, String name) throws Exception {
        boolean complete = false;
        for (JsonNode condition : target.get(Target.NAMESPACE, kind, name).at("/status/conditions")) {
            boolean is = condition.path("status").asText().equals("True");
            String type = condition.path("type").asText();
            Check.that(!is || !type.equals("Failed"), "%s", condition);
            complete |= is && type.equals("Complete");
        }
        return complete;
    }

    private void apply(String resource) throws Exception {
        Program.Result applied =
                target.kubectl().call(Resources.read(resource), "apply", "-n", Target.NAMESPACE, "-f", "-");
        Check.that(applied.exitCode() == 0, "%s", applied.output());
    }

    private String get(String kind) throws Exception {
        return target.kubectl().run("get", kind, "-n", Target.NAMESPACE);
    }

    private void delete(String what) throws Exception {
        target.kubectl().run("delete", what, "-n", Target.NAMESPACE, "--timeout=120s");
    }
}
