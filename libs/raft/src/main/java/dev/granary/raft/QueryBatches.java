package dev.granary.raft;

import dev.granary.env.Confined;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks questions in batches, one after the other. The library would let a question join others that wait for their
 * round of heartbeats, and count heartbeats that were answered before the question was asked: a leader that has been
 * replaced in the meantime could answer it. So a question that comes while a round is under way waits for the next one.
 * Used by the scheduler's tasks only.
 */
final class QueryBatches {

    private static final class Waiting {
        private final byte[] question;
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

        Waiting(byte[] question) {
            this.question = question;
        }
    }

    private final Confined confined = new Confined();
    private final Function<List<byte[]>, CompletableFuture<List<byte[]>>> ask;
    private List<Waiting> next = new ArrayList<>();
    private boolean underWay;

    /** @param ask asks a batch in a round of its own */
    QueryBatches(Function<List<byte[]>, CompletableFuture<List<byte[]>>> ask) {
        this.ask = ask;
    }

    CompletableFuture<byte[]> add(byte[] question) {
        assert confined.here() : confined;
        Waiting waiting = new Waiting(question);
        next.add(waiting);
        if (!underWay) {
            askNext();
        }
        return waiting.answer;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure reaches those who wait
    private void askNext() {
        assert confined.here() : confined;
        List<Waiting> batch = next;
        next = new ArrayList<>();
        underWay = true;
        ask.apply(batch.stream().map(waiting -> waiting.question).toList())
                .whenComplete((answers, failure) -> completed(batch, answers, failure));
    }

    private void completed(List<Waiting> batch, @Nullable List<byte[]> answers, @Nullable Throwable failure) {
        underWay = false;
        if (!next.isEmpty()) {
            askNext();
        }
        for (int i = 0; i < batch.size(); i++) {
            if (answers == null) {
                batch.get(i).answer.completeExceptionally(failure == null ? new IllegalStateException() : failure);
            } else {
                batch.get(i).answer.complete(answers.get(i));
            }
        }
    }
}
