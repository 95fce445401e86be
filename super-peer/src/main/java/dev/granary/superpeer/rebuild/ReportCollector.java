package dev.granary.superpeer.rebuild;

import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.state.arc.PeerReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Asks storage peers which ranges they own and which copies they have, page by page (ADR 0127). Tasks of the node's
 * scheduler.
 */
final class ReportCollector {

    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int COPIES_PER_REPLY = 4096;

    private final Node node;
    private final HostAddress self;
    private final long beganNanos;
    private final TreeMap<String, Source> sources = new TreeMap<>();

    /** A storage peer that is asked. */
    private static final class Source {
        private final HostAddress address;
        private boolean asking;
        private String trouble = "it has not answered yet";
        private @Nullable PeerReport report;

        private Source(HostAddress address) {
            this.address = address;
        }
    }

    /** @param self the address under which storage peers reach this super-peer */
    ReportCollector(Node node, HostAddress self) {
        this.node = node;
        this.self = self;
        this.beganNanos = node.nanoTime();
    }

    /** Returns for how long this collector has existed. */
    long ageNanos() {
        return node.nanoTime() - beganNanos;
    }

    /**
     * Asks all storage peers that have not given a usable report.
     *
     * @param usable whether a report can be used; if not, it is asked for again
     */
    void ask(List<HostAddress> storagePeers, Predicate<PeerReport> usable) {
        storagePeers.forEach(address -> sources.computeIfAbsent(address.toString(), text -> new Source(address)));
        for (Source source : sources.values()) {
            PeerReport report = source.report;
            if (!source.asking && (report == null || !usable.test(report))) {
                source.asking = true;
                askRanges(source, 0, new ArrayList<>());
            }
        }
    }

    private void askRanges(Source source, long fromCid, List<CidRange> ranges) {
        node.ask(
                source.address,
                Nid.NONE,
                MessageType.REPORT_HOLDINGS,
                new ReportHoldings(self, fromCid),
                CALL_TIMEOUT_NANOS,
                (holdings, failure) -> {
                    if (holdings == null) {
                        failed(source, failure);
                        return;
                    }
                    ranges.addAll(holdings.ranges());
                    if (holdings.nextCid() != 0) {
                        askRanges(source, holdings.nextCid(), ranges);
                    } else {
                        askCopies(source, holdings, ranges, 0, new ArrayList<>());
                    }
                });
    }

    private void askCopies(
            Source source, Holdings head, List<CidRange> ranges, int afterZone, List<CopyList.Held> copies) {
        node.ask(
                source.address,
                Nid.NONE,
                MessageType.LIST_COPIES,
                new ListCopies(afterZone, COPIES_PER_REPLY),
                CALL_TIMEOUT_NANOS,
                (list, failure) -> {
                    if (list == null) {
                        failed(source, failure);
                        return;
                    }
                    copies.addAll(list.copies());
                    if (list.nextZone() != 0) {
                        askCopies(source, head, ranges, list.nextZone(), copies);
                    } else {
                        source.asking = false;
                        source.report = new PeerReport(head, ranges, copies);
                    }
                });
    }

    private static void failed(Source source, @Nullable Throwable failure) {
        source.asking = false;
        source.report = null;
        source.trouble = failure == null ? "no answer" : String.valueOf(failure.getMessage());
    }

    /** Returns the reports that have arrived, one of each storage peer. */
    Collection<PeerReport> reports() {
        TreeMap<Integer, PeerReport> byNid = new TreeMap<>();
        for (Source source : sources.values()) {
            if (source.report != null) {
                byNid.put(source.report.nid(), source.report);
            }
        }
        return byNid.values();
    }

    /** Returns the storage peers that have not answered, for people. */
    List<String> silent() {
        return sources.values().stream()
                .filter(source -> source.report == null)
                .map(source -> source.address + " (" + source.trouble + ")")
                .toList();
    }
}
