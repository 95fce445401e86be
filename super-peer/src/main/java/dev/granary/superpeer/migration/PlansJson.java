package dev.granary.superpeer.migration;

import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.process.JsonText;
import dev.granary.superpeer.peer.Loads;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.Plan;
import java.util.List;
import java.util.Locale;

/** Plans as JSON: docs/guides/migration.md. */
public final class PlansJson {

    /** More moves of a plan are not listed one by one; the sums hold all of them. */
    private static final int MAX_MOVES = 2_000;

    private PlansJson() {}

    public static String write(List<Plan> plans, List<Loads.Proposal> proposals, List<Loads.Hot> hottest) {
        JsonText json = new JsonText().object();
        json.array("plans");
        plans.forEach(plan -> write(json, plan));
        json.end();
        json.array("proposals");
        for (Loads.Proposal proposal : proposals) {
            json.object();
            json.field("cid", Cid.toHex(proposal.cid()));
            json.field("perSecond", proposal.perSecond());
            json.field("source", Nid.toHex(proposal.source()));
            json.field("sourcePerSecond", proposal.sourcePerSecond());
            json.field("target", Nid.toHex(proposal.target()));
            json.field("targetPerSecond", proposal.targetPerSecond());
            json.end();
        }
        json.end();
        json.array("hotChunks");
        for (Loads.Hot chunk : hottest) {
            json.object();
            json.field("cid", Cid.toHex(chunk.cid()));
            json.field("perSecond", chunk.perSecond());
            json.field("owner", Nid.toHex(chunk.owner()));
            json.end();
        }
        return json.end().end().toString();
    }

    private static void write(JsonText json, Plan plan) {
        json.object();
        writeSummary(json, plan);
        json.array("list");
        plan.moves().stream().limit(MAX_MOVES).forEach(move -> {
            json.object();
            json.field("from", Cid.toHex(move.startCid()));
            json.field("to", Cid.toHex(move.endCidInclusive()));
            json.field("target", Nid.toHex(move.targetNid()));
            json.field("chunks", move.chunks());
            json.field("bytes", move.bytes());
            json.field("state", move.state().name().toLowerCase(Locale.ROOT));
            json.end();
        });
        json.end().end();
    }

    /** Writes a plan as members of the current object, without its moves one by one. */
    static void writeSummary(JsonText json, Plan plan) {
        json.field("plan", Nid.toHex(plan.homeNid()) + "/" + plan.number());
        json.field("kind", plan.kind().name().toLowerCase(Locale.ROOT));
        json.field("nid", Nid.toHex(plan.nid()));
        json.field("state", plan.state().name().toLowerCase(Locale.ROOT));
        json.field("note", plan.note());
        long done = 0;
        long failed = 0;
        long bytes = 0;
        long bytesDone = 0;
        // One pass, as a plan may have very many moves.
        for (Move move : plan.moves()) {
            bytes += move.bytes();
            if (move.state() == Move.State.DONE) {
                done++;
                bytesDone += move.bytes();
            } else if (move.state() == Move.State.FAILED) {
                failed++;
            }
        }
        json.field("moves", plan.moves().size());
        json.field("movesDone", done);
        json.field("movesFailed", failed);
        json.field("bytes", bytes);
        json.field("bytesDone", bytesDone);
    }
}
