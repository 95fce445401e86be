package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The keys of log lines: what is the same has the same key in all processes, so that one search finds it. */
class LogKeysTest {

    private static final Pattern CALL = Pattern.compile("addKeyValue\\(\\s*(\"([^\"]*)\")?");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:`[A-Za-z]+`(?:, )?)+) \\|");
    private static final Pattern WORD = Pattern.compile("`([A-Za-z]+)`");

    /** Who and where, in many lines. The guide explains them. */
    private static final Set<String> IDENTITIES = Set.of(
            "nid",
            "ownerNid",
            "backupNid",
            "sourceNid",
            "targetNid",
            "creatorNid",
            "peer",
            "address",
            "client",
            "clusterId",
            "epoch",
            "incarnation",
            "zone",
            "slotGroup",
            "arc",
            "raftGroup",
            "migration",
            "plan",
            "namespace",
            "kind",
            "name",
            "pod",
            "claim",
            "kubernetesNode");

    /** What a line says besides. A new word is added here only when none of the others means the same. */
    private static final Set<String> OTHERS = Set.of(
            "action",
            "addedNids",
            "arcRange",
            "attempt",
            "backupNids",
            "boundAddress",
            "bytes",
            "capacityBytes",
            "chunks",
            "command",
            "copies",
            "damaged",
            "diskId",
            "droppedNids",
            "exitCode",
            "expectedRingSize",
            "failedMigrations",
            "failedZones",
            "file",
            "firstCid",
            "firstLid",
            "firstZone",
            "formerOwnerNids",
            "httpPort",
            "lastCid",
            "leader",
            "leaseMillis",
            "lidLimit",
            "lidMark",
            "limitSeconds",
            "lostLidsBelow",
            "migrations",
            "moves",
            "namespaces",
            "object",
            "path",
            "pauseMillis",
            "planKind",
            "reason",
            "ringSize",
            "seeds",
            "silentSeeds",
            "slowestMigration",
            "slowestMillis",
            "slowestZone",
            "state",
            "storagePeers",
            "thread",
            "times",
            "tookMillis",
            "type",
            "user",
            "users",
            "version",
            "waitedMillis",
            "wantedBytes",
            "zones");

    private static List<MatchResult> calls() {
        return Sources.java().stream()
                .filter(file -> Sources.name(file).contains("/src/main/"))
                .flatMap(file -> CALL.matcher(Sources.read(file)).results())
                .toList();
    }

    @Test
    void logLines_keys_areOfTheList() {
        Set<String> used = new TreeSet<>();
        // A comment may name the method without a key.
        calls().stream().filter(call -> call.group(1) != null).forEach(call -> used.add(call.group(2)));
        Set<String> allowed = new TreeSet<>(IDENTITIES);
        allowed.addAll(OTHERS);
        assertThat(used).as("keys of the code, and those of this test").isEqualTo(allowed);
    }

    @Test
    void guide_identities_areAllExplained() {
        String guide = Sources.read(Sources.ROOT.resolve("docs/guides/monitoring.md"));
        String logs = guide.substring(guide.indexOf("\n## Logs"), guide.indexOf("\n## Metrics"));
        Set<String> explained = ROW.matcher(logs)
                .results()
                .flatMap(row -> WORD.matcher(row.group(1)).results())
                .map(word -> word.group(1))
                .collect(Collectors.toSet());
        assertThat(explained).isEqualTo(IDENTITIES);
    }
}
