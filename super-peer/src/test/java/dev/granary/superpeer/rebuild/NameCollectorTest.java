package dev.granary.superpeer.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.FetchNames;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.state.arc.PeerReport;
import dev.granary.superpeer.state.name.KeptNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NameCollectorTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int SUPER_PEER = 0x0001;
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneNode lone = new LoneNode();
    private final List<PeerReport> reports = new ArrayList<>();
    private final List<FetchNames> fetched = new ArrayList<>();

    private void report(int nid, HostAddress address) {
        Holdings head = Reports.holdings(nid, address, 1, 0);
        reports.add(new PeerReport(head, List.of(), List.of()));
    }

    private static NameCopyList copies(long... versions) {
        List<NameCopyList.Copy> list = new ArrayList<>();
        for (long version : versions) {
            list.add(new NameCopyList.Copy(SUPER_PEER, Nid.MAX, Nid.MAX, 1, version));
        }
        return new NameCopyList(list);
    }

    /** Returns a storage peer that has a copy of a version, with three names on two pages. */
    private Answers holder(long version) {
        return new Answers()
                .to(MessageType.LIST_NAME_COPIES, ask -> copies(version))
                .to(MessageType.FETCH_NAMES, ask -> {
                    fetched.add(ask);
                    return ask.after().isEmpty()
                            ? new NameList(List.of(new NameEntry("a", version), new NameEntry("b", 2)), true)
                            : new NameList(List.of(new NameEntry("c", 3)), false);
                });
    }

    private NameCollector collector() {
        return new NameCollector(lone.node(), ALL, reports);
    }

    private @Nullable KeptNames look(NameCollector collector, boolean acceptLoss) {
        AtomicReference<@Nullable KeptNames> seen = new AtomicReference<>();
        lone.run(() -> seen.set(collector.look(acceptLoss)));
        lone.runFor(SECOND);
        return seen.get();
    }

    @Test
    void look_oneCopyOfTwoPages_hasAllItsNames() {
        report(A, lone.serve("p", A, holder(7)));
        NameCollector collector = collector();
        assertThat(look(collector, false)).isNull();
        KeptNames names = Objects.requireNonNull(look(collector, false));
        assertThat(names.names().get("a")).isEqualTo(OptionalLong.of(7));
        assertThat(names.names().get("c")).isEqualTo(OptionalLong.of(3));
        assertThat(names.greatestVersion()).isEqualTo(7);
        assertThat(fetched).extracting(FetchNames::after).containsExactly("", "b");
        assertThat(fetched).allSatisfy(ask -> assertThat(ask.version()).isEqualTo(7));
        assertThat(collector.part()).isEqualTo(ALL);
    }

    @Test
    void look_nobodyToAsk_noNamesAtOnce() {
        assertThat(Objects.requireNonNull(look(collector(), false)).names().size())
                .isZero();
    }

    @Test
    void look_twoCopiesOfOneArc_readsTheLaterOne() {
        report(A, lone.serve("p", A, holder(7)));
        report(B, lone.serve("q", B, holder(9)));
        NameCollector collector = collector();
        look(collector, false);
        assertThat(Objects.requireNonNull(look(collector, false)).names().get("a"))
                .isEqualTo(OptionalLong.of(9));
        assertThat(fetched).allSatisfy(ask -> assertThat(ask.version()).isEqualTo(9));
    }

    @Test
    void look_oneStoragePeerIsSilent_waitsUntilLossIsAccepted() {
        report(A, lone.serve("p", A, holder(7)));
        Answers silent = new Answers().refuse(MessageType.LIST_NAME_COPIES, ErrorCode.SHUTTING_DOWN, "it is stopping");
        report(B, lone.serve("q", B, silent));
        NameCollector collector = collector();
        assertThat(look(collector, true))
                .as("nobody is given up before it was asked")
                .isNull();
        assertThat(collector.progress()).startsWith("asking 1 storage peers for names (storage peer 0x4000: ");
        assertThat(look(collector, false)).isNull();
        assertThat(fetched).isEmpty();
        assertThat(silent.count(MessageType.LIST_NAME_COPIES)).isEqualTo(2);

        assertThat(look(collector, true)).isNull();
        KeptNames names = Objects.requireNonNull(look(collector, true));
        assertThat(names.names().size()).isEqualTo(3);
    }

    @Test
    void look_copyCannotBeRead_theOthersAreAskedAnewAndAnotherCopyIsRead() {
        Answers broken = holder(9).refuse(MessageType.FETCH_NAMES, ErrorCode.NOT_FOUND, "another version");
        report(A, lone.serve("p", A, holder(7)));
        report(B, lone.serve("q", B, broken));
        NameCollector collector = collector();
        look(collector, false);
        assertThat(collector.progress()).contains("another version");

        broken.to(MessageType.LIST_NAME_COPIES, ask -> copies());
        look(collector, false);

        KeptNames names = Objects.requireNonNull(look(collector, false));
        assertThat(names.names().get("a")).isEqualTo(OptionalLong.of(7));
        assertThat(names.names().size()).isEqualTo(3);
    }

    @Test
    void look_secondPageCannotBeRead_noNameOfTheFirstStays() {
        boolean[] fails = {true};
        Answers answers = new Answers()
                .to(MessageType.LIST_NAME_COPIES, ask -> copies(7))
                .to(MessageType.FETCH_NAMES, ask -> {
                    if (!ask.after().isEmpty()) {
                        return fails[0] ? null : new NameList(List.of(new NameEntry("z", 9)), false);
                    }
                    return new NameList(List.of(new NameEntry(fails[0] ? "gone" : "a", 1)), true);
                });
        report(A, lone.serve("p", A, answers));
        NameCollector collector = collector();
        look(collector, false);
        assertThat(collector.progress()).isEqualTo("reading names, copy 1 of 1, 1 names so far");
        lone.runFor(10 * SECOND);
        fails[0] = false;
        look(collector, false);
        KeptNames names = Objects.requireNonNull(look(collector, false));
        assertThat(names.names().get("gone")).isEmpty();
        assertThat(names.names().get("z")).isEqualTo(OptionalLong.of(9));
        assertThat(names.names().size()).isEqualTo(2);
    }
}
