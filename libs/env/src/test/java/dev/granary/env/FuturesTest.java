package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FuturesTest {

    private final IllegalStateException failure = new IllegalStateException("it failed", new Exception("the reason"));

    @Test
    void causeOf_failureOfADependentFuture_isTheFailureItself() {
        Throwable[] told = new Throwable[1];
        var _ = CompletableFuture.failedFuture(failure)
                .thenApply(value -> value)
                .whenComplete((value, thrown) -> {
                    assertThat(thrown).isInstanceOf(CompletionException.class);
                    told[0] = Futures.causeOf(thrown);
                });
        assertThat(told[0]).isSameAs(failure);
    }

    @Test
    void causeOf_wrappedByBothWrappers_isTheFailureItself() {
        assertThat(Futures.causeOf(new ExecutionException(new CompletionException(failure))))
                .isSameAs(failure);
    }

    @Test
    void causeOf_failureWithACauseOfItsOwn_keepsIt() {
        assertThat(Futures.causeOf(failure)).isSameAs(failure);
    }

    @Test
    void causeOf_wrapperAroundNothing_isTheWrapper() {
        CompletionException empty = new CompletionException("no cause", null);
        assertThat(Futures.causeOf(empty)).isSameAs(empty);
    }

    @Test
    void causeIfAny_success_isNone() {
        assertThat(Futures.causeIfAny(null)).isNull();
        assertThat(Futures.causeIfAny(new CompletionException(failure))).isSameAs(failure);
    }
}
