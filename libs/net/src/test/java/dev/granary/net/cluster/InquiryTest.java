package dev.granary.net.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.ManualTime;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InquiryTest {

    private static final Target FIRST = new Target(new HostAddress("first", 1), 1);
    private static final Target SECOND = new Target(new HostAddress("second", 1), 2);
    private static final Target THIRD = new Target(new HostAddress("third", 1), 3);
    private static final Target LEADER = Target.at(new HostAddress("leader", 1));
    private static final Target OTHER_LEADER = Target.at(new HostAddress("other-leader", 1));
    private static final List<Target> ALL = List.of(FIRST, SECOND, THIRD);

    private static final long ATTEMPT_NANOS = 300;
    private static final long LAST_NANOS = 1_000;
    private static final long SILENCE_NANOS = 100;
    private static final Rules RULES = new Rules(ATTEMPT_NANOS, LAST_NANOS, SILENCE_NANOS, 1, Refusals::isAnswer);

    private final ManualTime time = new ManualTime();
    private final List<Sent> sent = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private final List<String> observed = new ArrayList<>();
    private int made;

    /** A request that was sent, and its answer. */
    private record Sent(Target to, long timeoutNanos, boolean patient, CompletableFuture<Message> answer) {

        void replies(String text) {
            answer.complete(new StatusText(text));
        }

        void isLost() {
            answer.completeExceptionally(new IllegalStateException("lost"));
        }

        void refuses(ErrorReply reply) {
            answer.completeExceptionally(new RemoteErrorException(reply.message(), reply));
        }

        void refuses(ErrorCode code) {
            refuses(ErrorReply.of(code, code.name()));
        }

        void names(Target other) {
            refuses(ErrorReply.redirect(other.address(), 1, "elsewhere"));
        }
    }

    private final class Recorder implements NodeCalls.Sender {
        @Override
        @SuppressWarnings("unchecked")
        public <Q extends Message, R extends Message> CompletableFuture<R> send(
                Target to, MessageType<Q, R> type, Q request, long timeoutNanos, boolean patient) {
            CompletableFuture<Message> answer = new CompletableFuture<>();
            sent.add(new Sent(to, timeoutNanos, patient, answer));
            return (CompletableFuture<R>) answer;
        }
    }

    private Inquiry<Empty, StatusText> begin(Rules rules, List<Target> candidates) {
        Supplier<Empty> request = () -> {
            made++;
            return new Empty();
        };
        return Inquiry.begin(
                new NodeCalls(new Recorder(), time, Runnable::run),
                MessageType.CLUSTER_STATUS,
                request,
                candidates,
                rules,
                (number, named) -> observed.add(number + (named ? " named" : "")),
                this::take);
    }

    private void take(Target from, @Nullable StatusText reply, @Nullable Throwable failure) {
        outcomes.add(from.address().host() + ": " + (reply != null ? reply.json() : messageOf(failure)));
    }

    private static String messageOf(@Nullable Throwable failure) {
        return failure == null ? "nothing" : String.valueOf(failure.getMessage());
    }

    private List<Target> asked() {
        return sent.stream().map(Sent::to).toList();
    }

    @Test
    void begin_firstReplies_nobodyElseIsAsked() {
        begin(RULES, ALL);
        sent.get(0).replies("yes");
        time.advance(10 * LAST_NANOS);
        assertThat(asked()).containsExactly(FIRST);
        assertThat(outcomes).containsExactly("first: yes");
        assertThat(time.waitingTasks()).isZero();
    }

    @Test
    void begin_eachIsLost_asksAllInTurnAndOnlyForTheLastWithPatience() {
        begin(RULES, ALL);
        sent.get(0).isLost();
        sent.get(1).isLost();
        assertThat(outcomes).isEmpty();
        sent.get(2).isLost();
        assertThat(asked()).isEqualTo(ALL);
        assertThat(sent).extracting(Sent::patient).containsExactly(false, false, true);
        assertThat(sent).extracting(Sent::timeoutNanos).containsExactly(ATTEMPT_NANOS, ATTEMPT_NANOS, LAST_NANOS);
        assertThat(outcomes).containsExactly("third: lost");
        assertThat(made).isEqualTo(3);
    }

    @Test
    void begin_firstRefusesItself_thatIsTheAnswer() {
        begin(RULES, ALL);
        sent.get(0).refuses(ErrorCode.NOT_FOUND);
        assertThat(asked()).containsExactly(FIRST);
        assertThat(outcomes).containsExactly("first: NOT_FOUND");
    }

    @Test
    void begin_strangerOrOneThatStopsRefuses_theNextIsAsked() {
        begin(RULES, ALL);
        sent.get(0).refuses(ErrorCode.WRONG_NODE);
        sent.get(1).refuses(ErrorCode.SHUTTING_DOWN);
        sent.get(2).replies("yes");
        assertThat(outcomes).containsExactly("third: yes");
    }

    @Test
    void begin_firstNamesAnother_thatOneIsAskedInItsPlace() {
        begin(RULES, ALL);
        sent.get(0).names(LEADER);
        assertThat(asked()).containsExactly(FIRST, LEADER);
        assertThat(sent.get(1).timeoutNanos()).isEqualTo(ATTEMPT_NANOS);
        sent.get(1).replies("yes");
        assertThat(outcomes).containsExactly("leader: yes");
        assertThat(observed).containsExactly("0", "0 named");
    }

    @Test
    void begin_namedOneIsSilent_theNextCandidateIsAsked() {
        begin(RULES, ALL);
        sent.get(0).names(LEADER);
        sent.get(1).isLost();
        sent.get(2).replies("yes");
        assertThat(asked()).containsExactly(FIRST, LEADER, SECOND);
        assertThat(outcomes).containsExactly("second: yes");
    }

    @Test
    void begin_moreReferralsThanAllowed_theLastOneIsTheAnswer() {
        begin(RULES, ALL);
        sent.get(0).names(LEADER);
        sent.get(1).names(OTHER_LEADER);
        assertThat(asked()).containsExactly(FIRST, LEADER);
        assertThat(outcomes).containsExactly("leader: elsewhere");
    }

    @Test
    void begin_twoReferralsAllowed_bothAreFollowed() {
        begin(Rules.inTurn(ATTEMPT_NANOS, 2), List.of(FIRST));
        sent.get(0).names(LEADER);
        sent.get(1).names(OTHER_LEADER);
        sent.get(2).replies("yes");
        assertThat(outcomes).containsExactly("other-leader: yes");
    }

    @Test
    void begin_firstIsSilentForAWhile_theNextIsAskedTooAndTheFirstAnswerCounts() {
        begin(RULES, ALL);
        time.advance(SILENCE_NANOS - 1);
        assertThat(asked()).containsExactly(FIRST);
        time.advance(1);
        assertThat(asked()).containsExactly(FIRST, SECOND);
        sent.get(0).replies("late");
        sent.get(1).replies("too late");
        assertThat(outcomes).containsExactly("first: late");
        time.advance(10 * LAST_NANOS);
        assertThat(asked()).containsExactly(FIRST, SECOND);
    }

    @Test
    void begin_hedgedAndAllFail_failsAfterTheLastAnswer() {
        begin(RULES, ALL);
        time.advance(2 * SILENCE_NANOS);
        assertThat(asked()).isEqualTo(ALL);
        sent.get(2).isLost();
        sent.get(0).isLost();
        assertThat(outcomes).isEmpty();
        sent.get(1).isLost();
        assertThat(outcomes).containsExactly("second: lost");
    }

    @Test
    void begin_inTurn_silenceLeadsToNobody() {
        begin(Rules.inTurn(ATTEMPT_NANOS, 1), ALL);
        time.advance(10 * LAST_NANOS);
        assertThat(asked()).containsExactly(FIRST);
    }

    @Test
    void stop_oneIsBeingAsked_nobodyElseIsAndNothingIsTold() {
        Inquiry<Empty, StatusText> inquiry = begin(RULES, ALL);
        inquiry.stop();
        sent.get(0).names(LEADER);
        time.advance(10 * LAST_NANOS);
        assertThat(asked()).containsExactly(FIRST);
        assertThat(outcomes).isEmpty();
    }

    @Test
    void begin_requestCannotBeSent_countsAsAFailure() {
        Inquiry.begin(
                new NodeCalls(new Recorder(), time, Runnable::run),
                MessageType.CLUSTER_STATUS,
                () -> {
                    throw new IllegalStateException("broken on purpose");
                },
                ALL,
                RULES,
                (number, named) -> {},
                this::take);
        assertThat(outcomes).containsExactly("third: broken on purpose");
    }

    @Test
    void begin_nobodyToAsk_isRefused() {
        assertThatThrownBy(() -> begin(RULES, List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
