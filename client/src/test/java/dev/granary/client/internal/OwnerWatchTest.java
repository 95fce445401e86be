package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.RangeMessages.AwaitOwner;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OwnerWatchTest {

    private static final int OWNER = 0x8000;
    private static final HostAddress ADDRESS = new HostAddress("peer", 7501);

    private final List<AwaitOwner> asked = new ArrayList<>();
    private final List<CompletableFuture<LookupReply>> answers = new ArrayList<>();
    private final List<LookupReply> learnt = new ArrayList<>();
    private final ManualWorld world = new ManualWorld();
    private final OwnerWatch watch = new OwnerWatch(this::ask, learnt::add, world);

    private CompletableFuture<LookupReply> ask(AwaitOwner question) {
        asked.add(question);
        CompletableFuture<LookupReply> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    private static CidRange range(int owner, long epoch, PlacementState state) {
        return new CidRange(cid(1), cid(100), new Placement(owner, new int[0], epoch, 0, state));
    }

    private static long cid(long lid) {
        return Cid.of(OWNER, lid);
    }

    private CompletableFuture<Boolean> news(long cid) {
        return Objects.requireNonNull(watch.news(cid));
    }

    private static LookupReply reply(CidRange range) {
        return new LookupReply(range, ADDRESS, 1);
    }

    @Test
    void news_chunkThatNobodyDoubted_nobodyIsAsked() {
        assertThat(watch.news(cid(5))).isNull();
        watch.doubt(range(OWNER, 1, PlacementState.IN_SYNC));
        assertThat(watch.news(cid(101))).isNull();
        assertThat(watch.news(Cid.of(0x4000, 5))).isNull();
        assertThat(asked).isEmpty();
    }

    @Test
    void news_manyChunksOfARange_oneQuestionWithItsEpoch() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        CompletableFuture<Boolean> first = news(cid(5));
        assertThat(news(cid(6))).isSameAs(first);
        assertThat(asked).containsExactly(new AwaitOwner(cid(5), 7, OwnerWatch.WAIT_NANOS));
    }

    @Test
    void news_anotherOwner_toldAndTheRangeIsDoubtedNoMore() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        CompletableFuture<Boolean> news = news(cid(5));
        answers.getFirst().complete(reply(range(0x4000, 8, PlacementState.DEGRADED)));
        assertThat(news).isCompletedWithValue(true);
        assertThat(learnt).hasSize(1);
        assertThat(watch.news(cid(5))).isNull();
        assertThat(watch.doubtedRange(cid(5))).isNull();
    }

    @Test
    void news_lostMeanwhile_told() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        CompletableFuture<Boolean> news = news(cid(5));
        answers.getFirst().complete(reply(range(Nid.NONE, 8, PlacementState.LOST)));
        assertThat(news).isCompletedWithValue(true);
    }

    @Test
    void news_stillRecovering_noneAndTheNextQuestionKnowsIt() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        CompletableFuture<Boolean> news = news(cid(5));
        answers.getFirst().complete(reply(range(Nid.NONE, 8, PlacementState.RECOVERING)));
        assertThat(news).isCompletedWithValue(false);
        pass(OwnerWatch.WAIT_NANOS);
        assertThat(news(cid(6))).isNotDone();
        assertThat(asked.getLast().seenEpoch()).isEqualTo(8);
    }

    private void pass(long nanos) {
        world.schedule(nanos, () -> {});
        world.runAll();
    }

    @Test
    void news_answeredAtOnceThatThereAreNone_notAskedAgainBeforeTheWaitIsOver() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        for (int wait = 1; wait <= 10; wait++) {
            for (int i = 0; i < 100; i++) {
                CompletableFuture<Boolean> news = watch.news(cid(5));
                if (news != null) {
                    answers.getLast().complete(reply(range(OWNER, 7, PlacementState.IN_SYNC)));
                }
            }
            assertThat(asked).hasSize(wait);
            pass(OwnerWatch.WAIT_NANOS);
        }
    }

    @Test
    void news_superPeerHasNoRoom_isNotAskedAboutThatCreatorBeforeThePauseIsOver() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        Placement other = Placement.unreplicated(OWNER, 1);
        watch.doubt(new CidRange(cid(101), cid(200), other));
        CompletableFuture<Boolean> news = news(cid(5));
        long pauseNanos = 3 * OwnerWatch.WAIT_NANOS;
        answers.getFirst()
                .completeExceptionally(new RemoteErrorException("no room", ErrorReply.retryLater(pauseNanos, "full")));
        assertThat(news).isCompletedExceptionally();
        pass(pauseNanos - 1);
        assertThat(watch.news(cid(5))).isNull();
        assertThat(watch.news(cid(150))).isNull();
        pass(1);
        assertThat(news(cid(5))).isNotDone();
        assertThat(news(cid(150))).isNotDone();
    }

    @Test
    void news_manyRangesOfAZone_oneQuestion() {
        int zone = BackupZone.id(OWNER, 3);
        for (int i = 0; i < 50; i++) {
            Placement placement = new Placement(OWNER, new int[0], 7, zone, PlacementState.IN_SYNC);
            watch.doubt(new CidRange(cid(10L * i + 1), cid(10L * i + 5), placement));
        }
        CompletableFuture<Boolean> first = news(cid(1));
        for (int i = 1; i < 50; i++) {
            assertThat(news(cid(10L * i + 1))).isSameAs(first);
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void news_sameOwnerAsBefore_none() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        CompletableFuture<Boolean> news = news(cid(5));
        answers.getFirst().complete(reply(range(OWNER, 7, PlacementState.IN_SYNC)));
        assertThat(news).isCompletedWithValue(false);
        assertThat(learnt)
                .as("who could not be reached is not taken for reachable")
                .isEmpty();
    }

    @Test
    void news_noAnswer_failsAndIsAskedAnewNextTime() {
        watch.doubt(range(OWNER, 7, PlacementState.IN_SYNC));
        CompletableFuture<Boolean> news = news(cid(5));
        answers.getFirst().completeExceptionally(new IllegalStateException("silent"));
        assertThat(news).isCompletedExceptionally();
        assertThat(news(cid(5))).isNotDone();
        assertThat(asked).hasSize(2);
    }

    @Test
    void doubt_moreRangesThanAreKept_stillAnswersForTheLast() {
        for (int i = 0; i < 10_000; i++) {
            Placement placement = Placement.unreplicated(OWNER, 1);
            watch.doubt(new CidRange(cid(10L * i + 1), cid(10L * i + 10), placement));
        }
        assertThat(Objects.requireNonNull(watch.doubtedRange(cid(99_995))).startCid())
                .isEqualTo(cid(99_991));
    }
}
