package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final GroupReply REPLY = GroupReply.not(Outcome.REFUSED, "no");

    private final EventLoop thread = new DefaultEventLoop();
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        var _ = thread.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Arrivals arrivals(Runnable taken) {
        return new Arrivals(thread, failure -> seen.add("failed " + failure.getMessage()), taken);
    }

    /** Waits until the I/O thread has done what came before. */
    private void settle() {
        var _ = thread.submit(() -> {}).awaitUninterruptibly();
    }

    @Test
    void add_repliesOfOtherThreads_areTakenInTheirOrderByTheIoThread() {
        Arrivals arrivals = arrivals(() -> seen.add("taken"));
        arrivals.add(REPLY, reply -> seen.add("1 " + thread.inEventLoop()));
        arrivals.add(REPLY, reply -> seen.add("2 " + thread.inEventLoop()));
        settle();
        assertThat(seen.stream().filter(each -> !each.equals("taken"))).containsExactly("1 true", "2 true");
        assertThat(seen).last().isEqualTo("taken");
    }

    @Test
    void add_replyCannotBeTaken_isToldAndTheNextIsTaken() {
        Arrivals arrivals = arrivals(() -> {});
        arrivals.add(REPLY, reply -> {
            throw new IllegalArgumentException("too few");
        });
        arrivals.add(REPLY, reply -> seen.add("next"));
        settle();
        assertThat(seen).containsExactly("failed too few", "next");
    }

    @Test
    void add_whatFollowsFails_isToldFromAnyThread() {
        Arrivals arrivals = arrivals(() -> {
            throw new IllegalStateException("cannot go on");
        });
        arrivals.add(REPLY, reply -> {});
        settle();
        var _ = thread.submit(() -> arrivals.add(REPLY, reply -> {})).awaitUninterruptibly();
        assertThat(List.copyOf(seen)).containsExactly("failed cannot go on", "failed cannot go on");
    }
}
