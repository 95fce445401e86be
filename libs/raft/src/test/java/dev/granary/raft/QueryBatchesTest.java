package dev.granary.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class QueryBatchesTest {

    private final List<CompletableFuture<List<byte[]>>> rounds = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();
    private final QueryBatches queries = new QueryBatches(questions -> {
        sizes.add(questions.size());
        CompletableFuture<List<byte[]>> round = new CompletableFuture<>();
        rounds.add(round);
        return round;
    });

    private static byte[] number(int value) {
        return new byte[] {(byte) value};
    }

    @Test
    void add_whileARoundIsUnderWay_waitsForTheNextOne() {
        CompletableFuture<byte[]> first = queries.add(number(1));
        CompletableFuture<byte[]> second = queries.add(number(2));
        CompletableFuture<byte[]> third = queries.add(number(3));
        assertThat(sizes).containsExactly(1);

        rounds.getFirst().complete(List.of(number(10)));
        assertThat(first).isCompletedWithValueMatching(answer -> answer[0] == 10);
        assertThat(second).isNotDone();
        assertThat(sizes).containsExactly(1, 2);

        rounds.get(1).complete(List.of(number(20), number(30)));
        assertThat(second).isCompletedWithValueMatching(answer -> answer[0] == 20);
        assertThat(third).isCompletedWithValueMatching(answer -> answer[0] == 30);
        assertThat(sizes).hasSize(2);
    }

    @Test
    void round_fails_itsQuestionsFailAndTheNextRoundBegins() {
        CompletableFuture<byte[]> first = queries.add(number(1));
        CompletableFuture<byte[]> second = queries.add(number(2));
        rounds.getFirst().completeExceptionally(new IllegalStateException("no leader"));
        assertThat(first).isCompletedExceptionally();
        rounds.get(1).complete(List.of(number(20)));
        assertThat(second).isCompletedWithValueMatching(answer -> answer[0] == 20);
    }
}
