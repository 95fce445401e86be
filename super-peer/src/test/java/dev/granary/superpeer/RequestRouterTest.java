package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RangeMessages.AwayRanges;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.name.NamePosition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The {@link RequestRouter} hands each request to its part, and only where this super-peer may answer. */
class RequestRouterTest {

    private static final int A = 0xC000;
    private static final String NAME = nameIn();
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final HostAddress PEER = new HostAddress("p", 7500);

    private final SimulatedRing ring = new SimulatedRing();

    /** What is answered from memory, of things in the arc of s0. */
    private final Map<String, CompletableFuture<? extends Message>> asked = new LinkedHashMap<>();

    /** A name whose place is in the arc of s0 in a ring of three. */
    private static String nameIn() {
        int i = 0;
        while (NamePosition.of("name-" + i) <= 0x8001) {
            i++;
        }
        return "name-" + i;
    }

    private <Q extends Message, R extends Message> void ask(MessageType<Q, R> type, Q request) {
        asked.put(MessageType.nameOf(type.code()), ring.begin("s0", type, request));
    }

    private void askForAllThatIsAnsweredFromMemory() {
        long chunk = Cid.of(A, 1);
        ask(MessageType.RENEW_LEASE, new RenewLease(A, 7, 1, new PeerStatistics(0, 0, 0, 0, 4096, 0, 0)));
        ask(MessageType.GET_NAME, new GetName(NAME));
        ask(MessageType.LIST_NAMES, new ListNames(0x8001, 0x0001, "", "", 10));
        ask(MessageType.ACQUIRE_LOCK, new AcquireLock(chunk, 1, 1_000 * MILLI, 0));
        ask(MessageType.RENEW_LOCK, new RenewLock(chunk, 1));
        ask(MessageType.SHOW_LOCK, new ShowLock(chunk));
        ask(MessageType.MIGRATE, new Migrate(chunk, chunk, A));
        ask(MessageType.ASK_MIGRATION, new AskMigration(A, 1));
        ask(MessageType.ASK_PEER, new AskPeer(A));
        ask(MessageType.AWAY_RANGES, new AwayRanges(A, 0));
        ask(MessageType.START_PLAN, new StartPlan(PlanKind.DRAIN, A, 0, 0));
        ask(MessageType.LIST_ZONES, new ListZones(A, A, 0));
        ask(MessageType.ZONE_RANGES, new ZoneRanges(BackupZone.id(A, 1), 0));
        ask(MessageType.LIST_CREATORS, new ListCreators(0x8001, 0x0001));
        ask(MessageType.CREATOR_RANGES, new CreatorRanges(A, 0));
        ask(MessageType.BEGIN_RESTORE, new BeginRestore(Cid.of(A, 900), Cid.of(A, 901), A));
        ask(MessageType.LOOKUP, new Lookup(Cid.of(0xE000, 1)));
    }

    private void open() {
        ring.call(
                "s0",
                MessageType.OPEN_LEASE,
                new OpenLease(A, new UUID(1, A), 7, "p", PEER, PEER, 4096, "", "", 0, null));
    }

    @Test
    void handle_leader_eachTypeIsAnsweredByItsPart() {
        ring.startRing(3);
        ring.runFor(5_000 * MILLI);
        open();
        askForAllThatIsAnsweredFromMemory();
        ring.runFor(2_000 * MILLI);
        assertThat(asked)
                .allSatisfy((name, reply) ->
                        assertThat(reply).as("%s: %s", ring, name).isDone());
        assertThat(asked.entrySet().stream()
                        .filter(reply -> !reply.getValue().isCompletedExceptionally())
                        .map(Map.Entry::getKey))
                .contains("renew-lease", "list-names", "acquire-lock", "show-lock", "ask-peer", "list-zones")
                .contains("list-creators", "away-ranges", "zone-ranges", "migrate", "ask-migration", "get-name");
        assertThat(asked.values().stream()
                        .filter(CompletableFuture::isCompletedExceptionally)
                        .map(reply -> SimulatedRing.errorOf(reply).code()))
                .as("%s: why others are refused", ring)
                .contains(ErrorCode.NOT_FOUND)
                .doesNotContain(ErrorCode.INTERNAL, ErrorCode.REDIRECT);
    }

    /** Whether somebody else is to be asked, or the same one later. */
    private static boolean saysNothing(CompletableFuture<?> reply) {
        return !(reply.exceptionNow() instanceof RemoteErrorException refusal)
                || refusal.code().isRetryable()
                || refusal.code() == ErrorCode.REDIRECT;
    }

    /**
     * SAFETY: another super-peer may lead by now, and have given the chunk, the lock or the name to somebody else. So a
     * leader that hears nothing of the others must not answer from its memory.
     */
    @Test
    void handle_leaderWithoutAMajority_answersNothingFromItsMemory() {
        ring.startRing(3);
        ring.runFor(5_000 * MILLI);
        open();
        for (String other : new String[] {"s1", "s2"}) {
            ring.simulation.network().cutBoth("s0", other);
        }
        askForAllThatIsAnsweredFromMemory();
        ring.runFor(30_000 * MILLI);
        assertThat(asked).allSatisfy((name, reply) -> {
            assertThat(reply).as("%s: %s", ring, name).isCompletedExceptionally();
            assertThat(saysNothing(reply)).as("%s: %s: %s", ring, name, reply).isTrue();
        });
    }

    @Test
    void handle_typeOfStoragePeers_isABadRequest() {
        ring.startRing(1);
        assertThat(ring.refusal("s0", MessageType.LIST_COPIES, new ListCopies(0, 1))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void stop_thenRequests_areRefusedAsStopping() {
        ring.startRing(1);
        CompletableFuture<Void> stopped = ring.superPeer("s0").stop();
        assertThat(ring.simulation.runUntil(stopped::isDone, 10_000 * MILLI)).isTrue();
        assertThat(ring.refusal("s0", MessageType.GET_RING, new Empty()).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
        assertThat(ring.refusal("s0", MessageType.ASK_PEER, new AskPeer(A)).code())
                .isEqualTo(ErrorCode.SHUTTING_DOWN);
        assertThat(ring.failures()).isEmpty();
    }
}
