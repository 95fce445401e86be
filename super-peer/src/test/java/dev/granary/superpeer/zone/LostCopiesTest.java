package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ZoneMessages.LostCopy;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.overlay.BackupZone;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What owners tell of copies that are lost. */
class LostCopiesTest {
    private static final int A = 0x4000;
    private static final int B = 0x8000;
    private static final int C = 0xC000;
    private static final int ZONE = BackupZone.id(A, 1);

    private final LoneArc arc = new LoneArc(1);
    private final LostCopies lost = new LostCopies(arc.lone.node(), arc.state::zone);

    private void told(LostCopy copy) {
        lost.told(new ReportLostCopies(A, A, 1, List.of(copy)));
    }

    private ZoneRecord zone() {
        return Objects.requireNonNull(arc.state.zone(ZONE));
    }

    @Test
    void told_memberOfAZone_isKnownUntilItIsNotToldAgain() {
        arc.open(A, 1, B);
        told(new LostCopy(ZONE, 1, B));
        assertThat(lost.has(zone(), B)).isTrue();
        assertThat(lost.has(zone(), C)).isFalse();

        arc.lone.runFor(TimeUnit.SECONDS.toNanos(5));
        assertThat(lost.has(zone(), B)).isFalse();
        lost.forgetOld();
        assertThat(lost.size()).isZero();
    }

    @Test
    void told_whatIsNoMemberOfAnyZone_takesNoMemory() {
        arc.open(A, 1, B);
        told(new LostCopy(ZONE, 2, B));
        told(new LostCopy(ZONE, 1, C));
        told(new LostCopy(BackupZone.id(A, 2), 1, B));
        assertThat(lost.size()).isZero();
    }
}
