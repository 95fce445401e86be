package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Clock;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Pending replies that wait for something else than backups, such as a create in progress: their share and their
 * deadline.
 */
class HeldRepliesTest {

    private static final int SIZE_BYTES = 600;
    private static final long LIMIT_NANOS = 1_000;

    private final AtomicLong now = new AtomicLong();
    private final AtomicBoolean callerIsThere = new AtomicBoolean(true);
    private final HeldReplies held = new HeldReplies(
            new Clock() {
                @Override
                public long nanoTime() {
                    return now.get();
                }

                @Override
                public long wallMillis() {
                    return 0;
                }
            },
            1_000);

    /** The results of the replies: OK, or why not. */
    private final List<String> sent = new ArrayList<>();

    private final HeldReply reply = held.hold(
            callerIsThere::get,
            SIZE_BYTES,
            LIMIT_NANOS,
            refusal -> sent.add(refusal == null ? "OK" : refusal.code().name()));

    private HeldReplies.Pause pause() {
        HeldReplies.Pause pause = held.pause(reply);
        reply.begun();
        return pause;
    }

    @Test
    void pause_goesOn_takesItsShareUntilItEnds() {
        HeldReplies.Pause pause = pause();
        assertThat(held.bytes()).isEqualTo(SIZE_BYTES);
        assertThat(held.refusal(SIZE_BYTES)).isNotNull();
        now.set(LIMIT_NANOS - 1);
        held.giveUpPauses(now.get());
        assertThat(sent).isEmpty();

        pause.end(ended -> {});
        assertThat(sent).containsExactly("OK");
        assertThat(held.bytes()).isZero();
    }

    @Test
    void pause_lastsTooLong_isRefusedAndWhatComesThenChangesNothing() {
        HeldReplies.Pause pause = pause();
        now.set(LIMIT_NANOS);
        held.giveUpPauses(now.get());
        assertThat(sent).containsExactly(ErrorCode.RETRY_LATER.name());
        assertThat(held.bytes()).isZero();

        pause.end(ended -> sent.add("rest"));
        held.giveUpPauses(now.get());
        assertThat(sent).hasSize(1);
    }

    @Test
    void pause_callerIsGone_givesBackItsShare() {
        pause();
        callerIsThere.set(false);
        held.giveUpPauses(now.get());
        assertThat(held.bytes()).isZero();
    }

    @Test
    void end_otherWaitsFollow_isAnsweredWhenTheyAreOver() {
        HeldReplies.Pause pause = pause();
        pause.end(HeldReply::begin);
        assertThat(sent).isEmpty();
        reply.end();
        assertThat(sent).containsExactly("OK");
    }

    /** It is not known what the reply should have waited for, so it must not be shown. */
    @Test
    void end_restThrows_isRefused() {
        HeldReplies.Pause pause = pause();
        assertThatThrownBy(() -> pause.end(ended -> {
                    throw new IllegalStateException("half-way");
                }))
                .hasMessage("half-way");
        assertThat(sent).containsExactly(ErrorCode.RETRY_LATER.name());
        assertThat(held.bytes()).isZero();
    }

    @Test
    void refuse_answerOfAPause_isSaidWhenItEnds() {
        HeldReplies.Pause pause = pause();
        reply.refuse(ErrorReply.of(ErrorCode.NOT_FOUND, "gone"));
        assertThat(reply.isRefused()).isTrue();
        pause.end(ended -> {});
        assertThat(sent).containsExactly(ErrorCode.NOT_FOUND.name());
    }
}
