package dev.granary.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Environment;
import dev.granary.log.batch.BatchWriter;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.net.Transport;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Each of the {@link ForgetfulLogs} forgets what it says, and nothing else. */
class ForgetfulLogsTest {

    private static final long CID = Cid.of(0x8000, 1);

    private static void everything(BatchWriter batch) {
        batch.chunk(CID, new byte[] {5}, 0, 1);
        batch.tombstone(CID + 1);
        batch.request(9, 3, 2, MemorySegment.ofArray(new byte[] {1, 2}), 0, 2);
        batch.token(CID, 77);
    }

    /** What is in the batch that the backup's process hears. */
    private static List<String> kept(BiFunction<Environment, Transport, Transport> network) {
        TamperedRig rig = TamperedRig.server(network);
        rig.await(rig.replicate(1, 2, 7, ForgetfulLogsTest::everything));
        List<String> kept = new ArrayList<>();
        assertThat(rig.batches()).singleElement().satisfies(batch -> {
            assertThat(batch.sequence()).isEqualTo(7);
            assertThat(batch.epoch()).isEqualTo(2);
            batch.forEach(new EntryVisitor() {
                @Override
                public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                    kept.add("chunk " + length);
                }

                @Override
                public void tombstone(long cid, long epoch, long sequence) {
                    kept.add("tombstone");
                }

                @Override
                public void request(
                        long clientId,
                        long requestSequence,
                        long ackedSequence,
                        long epoch,
                        long sequence,
                        MemorySegment bytes,
                        long offset,
                        int length) {
                    kept.add("request " + clientId + "/" + requestSequence);
                }

                @Override
                public void token(long cid, long token, long epoch, long sequence) {
                    kept.add("token " + token);
                }
            });
        });
        return kept;
    }

    @Test
    void logs_nothingIsPlanted_keepEverything() {
        assertThat(kept((environment, transport) -> transport))
                .containsExactlyInAnyOrder("chunk 1", "tombstone", "request 9/3", "token 77");
    }

    @Test
    void logs_eachBug_forgetsItsKindOfEntryAlone() {
        assertThat(kept(ForgetfulLogs::withoutTombstones))
                .containsExactlyInAnyOrder("chunk 1", "request 9/3", "token 77");
        assertThat(kept(ForgetfulLogs::withoutCompletions))
                .containsExactlyInAnyOrder("chunk 1", "tombstone", "token 77");
        assertThat(kept(ForgetfulLogs::withoutTokens)).containsExactlyInAnyOrder("chunk 1", "tombstone", "request 9/3");
    }

    private static MigrationData header(int flags) {
        return new MigrationData(0x8000, 1, CID, CID + 9, 0x9000, 1, 0, flags);
    }

    private static void chunks(ByteBuf out) {
        out.writeIntLE(2).writeLongLE(CID).writeLongLE(CID + 1);
        out.writeIntLE(3).writeIntLE(MigrationData.NO_CHUNK).writeBytes(new byte[] {1, 2, 3});
    }

    private static void tokens(ByteBuf out) {
        out.writeLongLE(55).writeIntLE(1).writeLongLE(CID).writeLongLE(77);
    }

    /** What the target of a migration hears of a step. */
    private static String arrives(ByteBuf step) {
        List<String> heard = new ArrayList<>();
        TamperedRig rig = TamperedRig.server(ForgetfulLogs::leavingCompletionsBehind)
                .on(MessageType.MIGRATION_DATA, request -> {
                    heard.add(ByteBufUtil.hexDump(request.payload()));
                    request.reply(new Empty());
                });
        rig.await(
                rig.send(MessageType.MIGRATION_DATA, out -> out.writeBytes(step, 0, step.readableBytes()), in -> true));
        assertThat(heard).hasSize(1);
        return heard.getFirst();
    }

    @Test
    void leavingCompletionsBehind_stepWithRequests_hasChunksAndTokensWithoutThem() {
        ByteBuf step = Unpooled.buffer();
        header(MigrationData.FLAG_SEAL).writeTo(step);
        chunks(step);
        step.writeIntLE(2);
        step.writeLongLE(9).writeLongLE(3).writeIntLE(1).writeLongLE(CID).writeByte(0);
        step.writeLongLE(9).writeLongLE(2).writeIntLE(-1);
        tokens(step);
        ByteBuf expected = Unpooled.buffer();
        header(MigrationData.FLAG_SEAL).writeTo(expected);
        chunks(expected);
        expected.writeIntLE(0);
        tokens(expected);

        assertThat(arrives(step)).isEqualTo(ByteBufUtil.hexDump(expected));
    }

    @Test
    void leavingCompletionsBehind_questionWhetherReadsMayGoOn_isAsItWas() {
        ByteBuf step = Unpooled.buffer();
        header(MigrationData.FLAG_READ).writeTo(step);
        assertThat(arrives(step)).isEqualTo(ByteBufUtil.hexDump(step));
    }
}
