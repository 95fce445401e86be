package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.TIMEOUT_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplicationStreamTest {

    private static final double NANOS_PER_SECOND = 1e9;

    private final LoneOwner owner = new LoneOwner();
    private final OwnedZone zone = owner.zone(B, C);

    @AfterEach
    void close() {
        owner.close();
    }

    /** The time that requests to backups took, all together. */
    private double seconds() {
        return Objects.requireNonNull(owner.registry.getSampleValue("granary_storage_replication_seconds_sum"));
    }

    @Test
    void pump_backupsThatAnswer_countAsFast() {
        owner.delete(zone, 1, false);
        assertThat(owner.world.runUntil(() -> zone.acked() == 1, 1_000 * MILLI)).isTrue();

        assertThat(seconds()).isPositive().isLessThan(TIMEOUT_NANOS / NANOS_PER_SECOND / 2);
    }

    @Test
    void pump_backupThatDoesNotAnswer_countsAsSlowAsItWasWaitedFor() {
        owner.backup(B).machine().pause(10 * TIMEOUT_NANOS);
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * TIMEOUT_NANOS);

        assertThat(seconds()).isGreaterThanOrEqualTo(TIMEOUT_NANOS / NANOS_PER_SECOND);
    }
}
