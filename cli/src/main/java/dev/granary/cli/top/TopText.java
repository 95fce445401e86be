package dev.granary.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import dev.granary.cli.base.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes a look as lines for a screen. What needs attention comes before what is busy. */
public final class TopText {

    private static final String RANGE = "%-18s %-12s %-8s %10s %7s  %s";
    private static final String KEY = "%-40s %-12s %-8s %10s %7s";
    private static final int KEY_WIDTH = 40;
    private static final String PEER = "%-8s %-20s %-8s %14s %10s %7s %10s %6s %7s %7s  %s";

    private final List<String> lines = new ArrayList<>();

    private TopText() {}

    /**
     * Writes a look.
     *
     * @param hot how many of the hottest ranges, keys and chunks are shown, of each
     */
    public static List<String> lines(TopLook look, int hot) {
        TopText text = new TopText();
        text.head(look);
        text.trouble(look);
        text.peers(look.storagePeers());
        text.plans(look.plans());
        text.ranges(look.hotRanges(), hot);
        text.keys(look, hot);
        text.chunks(look.hotChunks(), hot);
        return text.lines;
    }

    /** Cuts lines to a screen; the last line says how many are missing. */
    static List<String> fit(List<String> lines, int width, int height) {
        List<String> fitting = new ArrayList<>();
        boolean cut = lines.size() > height;
        for (String line : lines.subList(0, cut ? Math.max(0, height - 1) : lines.size())) {
            fitting.add(line.length() > width ? line.substring(0, width) : line);
        }
        if (cut && height > 0) {
            String more = "... " + (lines.size() - height + 1) + " more lines: 'granary top --once' shows all";
            fitting.add(more.length() > width ? more.substring(0, width) : more);
        }
        return fitting;
    }

    @FormatMethod
    private void add(@FormatString String format, Object... arguments) {
        lines.add(String.format(Locale.ROOT, format, arguments).stripTrailing());
    }

    private void head(TopLook look) {
        long live = look.storagePeers().stream()
                .filter(peer -> peer.state().equals("live"))
                .count();
        add(
                "cluster %s   ring %d of %d   storage peers %d of %d live   %s uses/s",
                look.cluster(),
                look.superPeers(),
                look.superPeersExpected(),
                live,
                look.storagePeers().size(),
                Sizes.count(look.usesPerSecond()));
        add(
                "memory %.1f%% full, %s   zones: %s whole, %s with fewer copies, %s recovering, %s lost",
                look.fillPercent(),
                look.headroomPercent() < 0
                        ? "no other storage peer could take over"
                        : String.format(Locale.ROOT, "%.1f%% without the largest peer", look.headroomPercent()),
                Sizes.count(look.zones().inSync()),
                Sizes.count(look.zones().degraded()),
                Sizes.count(look.zones().recovering()),
                Sizes.count(look.zones().lost()));
    }

    private void trouble(TopLook look) {
        if (!look.unreachable().isEmpty()) {
            add("UNREACHABLE super-peers: %s", String.join(" ", look.unreachable()));
        }
        if (!look.ringOperation().isEmpty()) {
            add("ring: %s", look.ringOperation());
        }
        for (JsonNode recovery : look.recoveries()) {
            String candidate = recovery.path("candidate").asText();
            String waitingFor = recovery.path("waitingFor").asText();
            String note = recovery.path("note").asText();
            add(
                    "recovery %s for %.1f s: %s, %s chunks, %s%s%s",
                    recovery.path("zone").asText(),
                    recovery.path("ageMillis").asLong() / 1e3,
                    candidate.isEmpty() ? "by nobody yet" : "by " + candidate,
                    Sizes.count(recovery.path("chunks").asLong()),
                    Sizes.bytes(recovery.path("bytes").asLong()),
                    waitingFor.isEmpty() ? "" : ", waits for " + waitingFor,
                    note.isEmpty() ? "" : ": " + note);
        }
    }

    private void peers(List<TopLook.Peer> peers) {
        add("");
        add(
                PEER,
                "NID",
                "STORAGE PEER",
                "STATE",
                "CHUNKS",
                "USED",
                "FILL",
                "USES/S",
                "LOAD",
                "ZONES",
                "COPIES",
                "DRAIN");
        for (TopLook.Peer peer : peers) {
            add(
                    PEER,
                    peer.nid(),
                    peer.name(),
                    peer.state().equals("expired") && peer.zones() + peer.copies() > 0 ? "EXPIRED" : peer.state(),
                    Sizes.count(peer.chunks()),
                    Sizes.bytes(peer.usedBytes()),
                    String.format(Locale.ROOT, "%.1f%%", peer.fillPercent()),
                    Sizes.count(peer.usesPerSecond()),
                    String.format(Locale.ROOT, "%.0f%%", peer.loadPercent()),
                    Sizes.count(peer.zones()),
                    Sizes.count(peer.copies()),
                    peer.drain().equals("none") ? "" : peer.drain());
        }
    }

    private void plans(List<JsonNode> plans) {
        if (plans.isEmpty()) {
            return;
        }
        add("");
        add("%-12s %-8s %-8s %18s %24s  %s", "PLAN", "KIND", "PEER", "MOVES DONE", "BYTES DONE", "NOTE");
        for (JsonNode plan : plans) {
            long failed = plan.path("movesFailed").asLong();
            add(
                    "%-12s %-8s %-8s %18s %24s  %s",
                    plan.path("plan").asText(),
                    plan.path("kind").asText(),
                    plan.path("nid").asText(),
                    Sizes.count(plan.path("movesDone").asLong()) + " of "
                            + Sizes.count(plan.path("moves").asLong()),
                    Sizes.bytes(plan.path("bytesDone").asLong()) + " of "
                            + Sizes.bytes(plan.path("bytes").asLong()),
                    (failed == 0 ? "" : failed + " FAILED ") + plan.path("note").asText());
        }
    }

    private void ranges(List<TopLook.HotRange> ranges, int count) {
        if (ranges.isEmpty() || count == 0) {
            return;
        }
        add("");
        add(RANGE, "HOT RANGE", "SLOTS", "OWNER", "USES/S", "LOAD", "CIDS");
        for (TopLook.HotRange range : ranges.subList(0, Math.min(count, ranges.size()))) {
            add(
                    RANGE,
                    range.zone().isEmpty() ? "without copies" : range.zone(),
                    range.slots(),
                    range.owner(),
                    Sizes.count(range.perSecond()),
                    share(range.loadPercent()),
                    range.from() + ".." + range.to());
        }
    }

    private void keys(TopLook look, int count) {
        if (count == 0 || (look.hotKeys().isEmpty() && look.hotKeysMissing().isEmpty())) {
            return;
        }
        add("");
        add(KEY, "HOT KEY", "SLOTS", "OWNER", "USES/S", "LOAD");
        for (TopLook.HotKey key :
                look.hotKeys().subList(0, Math.min(count, look.hotKeys().size()))) {
            add(
                    KEY,
                    KeyText.cut(key.key(), KEY_WIDTH),
                    key.slots(),
                    key.owner(),
                    Sizes.count(key.perSecond()),
                    share(key.loadPercent()));
        }
        if (!look.hotKeysMissing().isEmpty()) {
            add(
                    "keys of %d storage peers are not shown: %s",
                    look.hotKeysMissing().size(),
                    look.hotKeysMissing().getFirst().why());
        }
    }

    private static String share(double percent) {
        return String.format(Locale.ROOT, "%.1f%%", percent);
    }

    private void chunks(List<JsonNode> chunks, int count) {
        if (chunks.isEmpty() || count == 0) {
            return;
        }
        add("");
        add("%-18s %-8s %10s", "HOT CHUNK", "OWNER", "USES/S");
        for (JsonNode chunk : chunks.subList(0, Math.min(count, chunks.size()))) {
            add(
                    "%-18s %-8s %10s",
                    chunk.path("cid").asText(),
                    chunk.path("owner").asText(),
                    Sizes.count(chunk.path("perSecond").asLong()));
        }
    }
}
