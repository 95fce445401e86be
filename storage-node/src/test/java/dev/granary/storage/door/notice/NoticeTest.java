package dev.granary.storage.door.notice;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes that go-redis, Lettuce and redis-py read. They change with docs/formats/resp.md only. */
class NoticeTest {

    private static final HostAddress HERE = new HostAddress("10.0.0.1", 6379);
    private static final HostAddress THERE = new HostAddress("10.0.0.2", 6379);
    private static final long SECOND = 1_000_000_000;

    private static String frame(Notice notice, long nowNanos) {
        ByteBuf out = Unpooled.buffer();
        boolean written = notice.writeTo(new ReplyWriter(out, Protocol.RESP3), nowNanos);
        assertThat(written).isEqualTo(out.isReadable());
        return out.toString(US_ASCII);
    }

    @Test
    void moving_toAnotherDoor_isFourElements() {
        Notice notice = new Notice.Moving(77, 5 * SECOND, THERE);
        assertThat(frame(notice, 0)).isEqualTo(">4\r\n$6\r\nMOVING\r\n:77\r\n:5\r\n$13\r\n10.0.0.2:6379\r\n");
        assertThat(notice.isForClusterClients()).isFalse();
    }

    @Test
    void moving_toTheSameAddress_endsInNull() {
        assertThat(frame(new Notice.Moving(77, 5 * SECOND, null), 0))
                .isEqualTo(">4\r\n$6\r\nMOVING\r\n:77\r\n:5\r\n_\r\n");
    }

    /** What is promised must be kept: the clock may have passed zero, too. */
    @Test
    void moving_toldLate_promisesWholeSecondsThatAreLeft() {
        long end = Long.MIN_VALUE + SECOND;
        Notice notice = new Notice.Moving(77, end, null);
        assertThat(frame(notice, end - 3 * SECOND + 1)).contains(":77\r\n:2\r\n");
        assertThat(frame(notice, end - SECOND)).contains(":77\r\n:1\r\n");
        assertThat(frame(notice, end - SECOND + 1)).isEmpty();
        assertThat(frame(notice, end + SECOND)).isEmpty();
    }

    @Test
    void slotsMigrating_lastGroup_isTheRangeOfItsSlots() {
        Notice notice = new Notice.SlotsMigrating(78, 255);
        assertThat(frame(notice, 0)).isEqualTo(">3\r\n$10\r\nSMIGRATING\r\n:78\r\n$11\r\n16320-16383\r\n");
        assertThat(notice.isForClusterClients()).isTrue();
    }

    @Test
    void slotsMigrated_group_isAnArrayOfOneTriplet() {
        Notice notice = new Notice.SlotsMigrated(79, 1, HERE, THERE);
        List<String> lines = List.of(
                ">3",
                "$9",
                "SMIGRATED",
                ":79",
                "*1",
                "*3",
                "$13",
                "10.0.0.1:6379",
                "$13",
                "10.0.0.2:6379",
                "$6",
                "64-127");
        assertThat(frame(notice, 0)).isEqualTo(String.join("\r\n", lines) + "\r\n");
        assertThat(notice.isForClusterClients()).isTrue();
    }

    @Test
    void numbers_ofTwoPeersAndAfterARestart_riseAndDiffer() {
        long wallMillis = 1_800_000_000_000L;
        NoticeNumbers one = new NoticeNumbers();
        long first = one.next(0x8000, wallMillis);
        long second = one.next(0x8000, wallMillis);
        assertThat(second).isGreaterThan(first);
        // The clock was set back.
        assertThat(one.next(0x8000, wallMillis - 1_000_000)).isGreaterThan(second);
        assertThat(new NoticeNumbers().next(0x4000, wallMillis)).isNotIn(first, second);
        assertThat(new NoticeNumbers().next(0x8000, wallMillis + 1_000)).isGreaterThan(second);
        assertThat(new NoticeNumbers().next(0xFFFE, wallMillis)).isLessThan(1L << 53);
    }
}
