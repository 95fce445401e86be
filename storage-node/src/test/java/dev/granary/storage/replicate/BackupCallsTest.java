package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.TIMEOUT_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link BackupCalls} to backups that answer, and to one that does not. */
class BackupCallsTest {

    private static final int UNKNOWN = 0xE000;

    private final LoneOwner owner = new LoneOwner();

    @AfterEach
    void close() {
        owner.close();
    }

    private BackupCalls calls() {
        return owner.replication().calls();
    }

    private CompletableFuture<Boolean> ping(int nid) {
        List<CompletableFuture<Boolean>> begun = new ArrayList<>();
        owner.run(() -> begun.add(calls().ping(Objects.requireNonNull(calls().addressOf(nid)), nid)));
        return begun.getFirst();
    }

    @Test
    void addressOf_backupThatIsKnown_isItsAddress() {
        HostAddress address = owner.backup(B).address();
        assertThat(calls().addressOf(B)).isEqualTo(address);
        assertThat(calls().addressOf(UNKNOWN)).isNull();
    }

    @Test
    void ping_backupThatLives_isAnswered() {
        CompletableFuture<Boolean> pinged = ping(B);
        owner.world.runFor(50 * MILLI);
        assertThat(pinged).isCompletedWithValue(true);
    }

    @Test
    void ping_backupThatIsDead_failsAfterTheTimeout() {
        owner.backup(C).kill();
        CompletableFuture<Boolean> pinged = ping(C);
        owner.world.runFor(TIMEOUT_NANOS + 100 * MILLI);
        assertThat(pinged).isCompletedExceptionally();
    }
}
