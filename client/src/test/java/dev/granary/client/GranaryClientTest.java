package dev.granary.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How {@link GranaryClient} waits for answers, and what a caller sees when there is none. */
class GranaryClientTest {

    @Test
    void await_value_isReturned() {
        CompletableFuture<String> later = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> later.complete("value"));
        assertThat(GranaryClient.await(later)).isEqualTo("value");
    }

    /** An application distinguishes failures by their type. */
    @Test
    void await_knownFailureInsideOthers_isThrownItselfAndNamesTheCaller() {
        ChunkNotFoundException missing = new ChunkNotFoundException(0x8000_0000_0000_0001L);
        CompletableFuture<Object> failed =
                CompletableFuture.failedFuture(missing).thenApply(each -> each).thenApply(each -> each);

        ChunkNotFoundException seen =
                catchThrowableOfType(ChunkNotFoundException.class, () -> GranaryClient.await(failed));

        assertThat(seen).isSameAs(missing);
        assertThat(seen.getSuppressed()).hasSize(1);
        assertThat(seen.getSuppressed()[0].getStackTrace())
                .as("the stack of the caller, which waits")
                .anyMatch(frame -> frame.getClassName().equals(GranaryClientTest.class.getName()));
    }

    @Test
    void await_unknownFailure_isAGranaryExceptionWithThatCause() {
        IllegalStateException broken = new IllegalStateException("broken");
        assertThatThrownBy(() -> GranaryClient.await(
                        CompletableFuture.failedFuture(new CompletionException(new CompletionException(broken)))))
                .isExactlyInstanceOf(GranaryException.class)
                .hasMessageContaining("broken")
                .hasCause(broken);
    }

    @Test
    void await_callerIsInterrupted_staysInterruptedAndSaysThatTheOutcomeIsUnknown() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> GranaryClient.await(new CompletableFuture<>()))
                    .isExactlyInstanceOf(GranaryException.class)
                    .hasMessageContaining("interrupted")
                    .hasMessageContaining("a change may have been carried out");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            var _ = Thread.interrupted();
        }
    }

    @Test
    void connect_nobodyListens_failsByTheDeadlineAndNamesTheAddress() throws IOException {
        String address;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + free.getLocalPort();
        }
        ClientOptions options = ClientOptions.of(address).withDeadline(Duration.ofMillis(300));
        assertThatThrownBy(() -> GranaryClient.connect(options))
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining(address);
    }
}
