package dev.granary.superpeer.rebuild;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.FetchNames;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.state.arc.PeerReport;
import dev.granary.superpeer.state.name.KeptNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the names of a part of the ring from the copies that storage peers keep (ADR 0150): first the list of copies,
 * then the copies that are needed, page by page. Tasks of the node's scheduler.
 */
final class NameCollector {

    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Node node;
    private final Arc part;
    private final KeptNames kept;
    private final Map<Integer, HostAddress> addresses = new TreeMap<>();

    /** Storage peers that have not answered yet which copies they have. */
    private final Set<Integer> silent;

    private final Set<Integer> asking = new HashSet<>();
    private final List<KeptNames.Source> found = new ArrayList<>();

    /** The copies to read, in this order; null until all storage peers have answered which copies they have. */
    private @Nullable List<KeptNames.Source> needed;

    private final List<NameEntry> entries = new ArrayList<>();
    private String problem = "";
    private boolean reading;
    private int next;

    /** @param reports of the storage peers that are asked */
    NameCollector(Node node, Arc part, Collection<PeerReport> reports) {
        this.node = node;
        this.part = part;
        this.kept = new KeptNames(part);
        reports.forEach(report -> addresses.put(report.nid(), report.head().address()));
        this.silent = new HashSet<>(addresses.keySet());
    }

    /** Returns the part of the ring to which the names belong. */
    Arc part() {
        return part;
    }

    /**
     * Goes on, and asks again where there was no answer.
     *
     * @param acceptLoss whether to go on without the copies of storage peers that do not answer
     * @return all names; null until all are read
     */
    @Nullable
    KeptNames look(boolean acceptLoss) {
        List<KeptNames.Source> sources = needed;
        if (sources == null && (silent.isEmpty() || (acceptLoss && !problem.isEmpty() && asking.isEmpty()))) {
            sources = kept.choose(found);
            needed = sources;
        }
        if (sources == null) {
            silent.stream().sorted().filter(asking::add).forEach(this::list);
            return null;
        }
        if (next == sources.size()) {
            return kept;
        }
        if (!reading) {
            reading = true;
            entries.clear();
            read(sources, "");
        }
        return null;
    }

    /** Says what this collector waits for, for people. */
    String progress() {
        String trouble = problem.isEmpty() ? "" : " (" + problem + ")";
        List<KeptNames.Source> sources = needed;
        return sources == null
                ? "asking " + silent.size() + " storage peers for names" + trouble
                : "reading names, copy " + (next + 1) + " of " + sources.size() + ", " + entries.size()
                        + " names so far" + trouble;
    }

    private void list(int nid) {
        HostAddress address = Objects.requireNonNull(addresses.get(nid));
        node.ask(address, nid, MessageType.LIST_NAME_COPIES, new Empty(), CALL_TIMEOUT_NANOS, (list, failure) -> {
            asking.remove(nid);
            if (list == null) {
                failed(nid, failure);
            } else if (silent.remove(nid)) {
                list.copies().forEach(copy -> found.add(new KeptNames.Source(nid, copy)));
                goOn();
            }
        });
    }

    private void read(List<KeptNames.Source> sources, String after) {
        KeptNames.Source source = sources.get(next);
        FetchNames request =
                new FetchNames(source.copy().ownerNid(), source.copy().version(), after, SaveNames.MAX_CHANGES);
        HostAddress address = Objects.requireNonNull(addresses.get(source.nid()));
        node.ask(address, source.nid(), MessageType.FETCH_NAMES, request, CALL_TIMEOUT_NANOS, (page, failure) -> {
            if (page == null) {
                failed(source.nid(), failure);
                beginAnew();
                return;
            }
            entries.addAll(page.entries());
            if (page.more()) {
                read(sources, page.entries().getLast().name());
                return;
            }
            kept.lay(source.copy().arc(), entries);
            reading = false;
            next++;
            goOn();
        });
    }

    private void goOn() {
        if (silent.isEmpty()) {
            look(false);
        }
    }

    /** Starts again after a copy could not be read: another storage peer may have a copy, too. */
    private void beginAnew() {
        needed = null;
        reading = false;
        next = 0;
        found.clear();
        silent.addAll(addresses.keySet());
    }

    private void failed(int nid, @Nullable Throwable failure) {
        problem = "storage peer " + Nid.toHex(nid) + ": " + (failure == null ? "no answer" : failure.getMessage());
    }
}
