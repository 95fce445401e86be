package dev.granary.superpeer.migration;

import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.process.JsonText;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.Plan;
import java.util.Comparator;
import java.util.List;

/** The plans and the running migrations of arcs as JSON, short enough to be asked for each second. */
public final class WorkJson {

    /** More plans, or migrations, are counted and not listed. */
    static final int MAX_LISTED = 64;

    private static final Comparator<Plan> RUNNING_FIRST =
            Comparator.comparing((Plan plan) -> plan.state() != Plan.State.RUNNING);

    private WorkJson() {}

    /**
     * Writes an object.
     *
     * @param plans listed with those that run first, then the newest
     * @param migrations that run, oldest first
     */
    public static String write(List<Plan> plans, List<MigrationRecord> migrations) {
        JsonText json = new JsonText().object();
        json.array("plans");
        plans.stream()
                .sorted(RUNNING_FIRST.thenComparing(Plan::number, Comparator.reverseOrder()))
                .limit(MAX_LISTED)
                .forEach(plan -> {
                    json.object();
                    PlansJson.writeSummary(json, plan);
                    json.end();
                });
        json.end();
        json.field("plansUnlisted", Math.max(0, plans.size() - MAX_LISTED));
        json.array("migrations");
        migrations.stream().limit(MAX_LISTED).forEach(migration -> {
            json.object();
            json.field("migration", Nid.toHex(migration.creatorNid()) + "/" + migration.number());
            json.field("from", Cid.toHex(migration.startCid()));
            json.field("to", Cid.toHex(migration.endCidInclusive()));
            json.field("source", Nid.toHex(migration.sourceNid()));
            json.field("target", Nid.toHex(migration.targetNid()));
            json.end();
        });
        json.end();
        json.field("migrationsUnlisted", Math.max(0, migrations.size() - MAX_LISTED));
        return json.end().toString();
    }
}
