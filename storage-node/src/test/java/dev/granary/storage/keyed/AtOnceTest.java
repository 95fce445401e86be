package dev.granary.storage.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MessageType;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.AnsweringBackup;
import dev.granary.storage.keyed.KeyedCalls.AtOnce;
import dev.granary.storage.keyed.KeyedPeer.Told;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that {@link GroupExecutor} and {@link GroupWork} are to carry out at once. */
class AtOnceTest {

    private static final String BEFORE = "+BEFORE\r\n";

    private final KeyedPeer peer = new KeyedPeer();

    @AfterEach
    void close() {
        peer.close();
    }

    /** Returns what becomes of a request, and the reply if there is one. */
    private String tryAtOnce(String words) {
        GroupCall call = KeyedPeer.call(List.of(), words);
        ByteBuf out = Unpooled.copiedBuffer(BEFORE, UTF_8);
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
            decoder.authenticated(true);
            decoder.add(call.requests());
            assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
            AtOnce end = peer.keyed()
                    .calls()
                    .tryAtOnce(
                            call.group(),
                            Objects.requireNonNull(CommandTable.redis().find(decoder.request())),
                            decoder.request(),
                            new ReplyWriter(out, Protocol.RESP2));
            assertThat(out.toString(UTF_8)).startsWith(BEFORE);
            String reply = out.toString(UTF_8).substring(BEFORE.length());
            assertThat(reply.isEmpty()).isEqualTo(end != AtOnce.ANSWERED);
            return end == AtOnce.ANSWERED ? reply.replace("\r\n", " ").strip() : end.toString();
        } finally {
            out.release();
        }
    }

    @Test
    void request_groupWithoutCopies_isAnswered() {
        peer.ready();
        peer.ask("SET {g}a 1");
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("$1 1");
        assertThat(tryAtOnce("GET {g}none")).isEqualTo("$-1");
        assertThat(tryAtOnce("INCR {g}a")).isEqualTo(":2");
        assertThat(tryAtOnce("SET {g}b 3")).isEqualTo("+OK");
        assertThat(tryAtOnce("HGET {g}a field"))
                .isEqualTo("-WRONGTYPE Operation against a key holding the wrong kind of value");
        assertThat(peer.ask("GET {g}a", "GET {g}b")).isEqualTo("$1 2 $1 3");
        assertThat(peer.keyed().hits()).isEqualTo(5);
        assertThat(peer.keyed().misses()).isEqualTo(1);
    }

    @Test
    void request_groupThatNobodyHas_isNotDone() {
        peer.ready();
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("NOT_DONE");
        assertThat(tryAtOnce("SET {g}a 1")).isEqualTo("NOT_DONE");
        peer.node.advance(KeyedPeer.SECOND);
        assertThat(peer.groups.openings).isZero();
    }

    @Test
    void request_leaseIsLost_isNotDone() {
        peer.ready();
        peer.ask("SET {g}a 1");
        peer.superPeer.unanswered.addAll(List.of(MessageType.RENEW_LEASE.code(), MessageType.OPEN_LEASE.code()));
        peer.node.advance(2 * KeyedPeer.SECOND);
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("NOT_DONE");
        assertThat(tryAtOnce("SET {g}a 2")).isEqualTo("NOT_DONE");
        peer.superPeer.unanswered.clear();
        assertThat(peer.ask("GET {g}a")).isEqualTo("$1 1");
    }

    /** What no backup has may be gone with the owner, so that nobody may have seen it. */
    @Test
    void request_groupWithCopies_isAnsweredOnlyIfNoBackupLacksAnything() {
        AnsweringBackup backup = new AnsweringBackup(peer.node.world, peer.superPeer, 0xC000);
        peer.groups.backups = new int[] {backup.nid};
        peer.ready();
        peer.ask("SET {g}a 1", "SET {g}b 1");
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("$1 1");
        assertThat(tryAtOnce("SET {g}a 3")).isEqualTo("NOT_DONE");
        assertThat(tryAtOnce("DEL {g}a")).isEqualTo("NOT_DONE");

        backup.silent = true;
        CompletableFuture<Told> change = peer.later("SET {g}a 2");
        peer.node.advance(KeyedPeer.MILLI);
        long hits = peer.keyed().hits();
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("NOT_DONE");
        assertThat(peer.keyed().hits()).isEqualTo(hits);
        assertThat(tryAtOnce("GET {g}b")).isEqualTo("$1 1");

        backup.silent = false;
        backup.answerAll();
        assertThat(peer.await(change).text()).isEqualTo("+OK");
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("$1 2");
    }

    @Test
    void change_withoutRoom_leavesEverythingAsItWas() {
        peer.groups.firstLimit = 3;
        peer.ready();
        peer.ask("SET {g}a 1", "SET {g}b 1");
        assertThat(tryAtOnce("SET {g}c 1")).startsWith("-OOM");
        assertThat(tryAtOnce("GET {g}c")).isEqualTo("$-1");
        assertThat(tryAtOnce("GET {g}a")).isEqualTo("$1 1");
    }
}
