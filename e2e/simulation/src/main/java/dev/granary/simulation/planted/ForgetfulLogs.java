package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.log.batch.BatchWriter;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;

/** Networks that make storage peers not keep, or not pass on, what chunks need beside their contents. */
final class ForgetfulLogs {

    /** The offset of the flags of migration data, the last field of its header. */
    private static final int FLAGS_OFFSET = MigrationData.BYTES - Integer.BYTES;

    private ForgetfulLogs() {}

    /** A backup drops tombstones while it still has older entries of their chunks. */
    static Transport withoutTombstones(Environment world, Transport transport) {
        return logging(transport, WithoutTombstones::new);
    }

    /** A backup does not log which requests of clients were carried out. */
    static Transport withoutCompletions(Environment world, Transport transport) {
        return logging(transport, WithoutCompletions::new);
    }

    /** A backup does not log the tokens of locks. */
    static Transport withoutTokens(Environment world, Transport transport) {
        return logging(transport, WithoutTokens::new);
    }

    /** A backup logs what copiers make of batches. */
    static Transport logging(Transport transport, Function<BatchWriter, EntryVisitor> copier) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)) {
                    return true;
                }
                ByteBuf in = payload(frame);
                Replicate header = Replicate.read(in);
                List<ReplicatedPart> parts = ReplicatedPart.readAll(header, in);
                link.deliver(frame(Frame.KIND_REQUEST, MessageType.REPLICATE, correlation(frame), out -> {
                    header.writeTo(out);
                    parts.forEach(part -> part.writeTo(out, (batch, writer) -> {
                        writer.start(part.zone(), batch.epoch(), batch.sequence());
                        batch.forEach(copier.apply(writer));
                    }));
                }));
                return false;
            }
        });
    }

    /** Chunks move without the completion records of the requests that changed them. */
    static Transport leavingCompletionsBehind(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.MIGRATION_DATA)) {
                    return true;
                }
                ByteBuf in = payload(frame);
                int start = in.readerIndex();
                if ((in.getIntLE(start + FLAGS_OFFSET) & MigrationData.FLAG_READ) != 0) {
                    return true; // no completion record moves with it
                }
                skipChunks(in.skipBytes(MigrationData.BYTES));
                ByteBuf before = in.slice(start, in.readerIndex() - start);
                skipRequests(in);
                link.deliver(
                        frame(Frame.KIND_REQUEST, MessageType.MIGRATION_DATA, correlation(frame), out -> out.writeBytes(
                                        before)
                                .writeIntLE(0)
                                .writeBytes(in)));
                return false;
            }
        });
    }

    private static void skipChunks(ByteBuf in) {
        int count = in.readIntLE();
        in.skipBytes(count * Long.BYTES);
        int payloads = 0;
        for (int i = 0; i < count; i++) {
            payloads += Math.max(0, in.readIntLE()); // a chunk that is not there has a negative size
        }
        in.skipBytes(payloads);
    }

    private static void skipRequests(ByteBuf in) {
        int count = in.readIntLE();
        for (int i = 0; i < count; i++) {
            in.skipBytes(2 * Long.BYTES);
            in.skipBytes(Math.max(0, in.readIntLE()) * (Long.BYTES + 1)); // negative for floors and unknown outcomes
        }
    }

    private static final class WithoutTombstones extends BatchCopier {
        WithoutTombstones(BatchWriter writer) {
            super(writer);
        }

        @Override
        public void tombstone(long cid, long epoch, long sequence) {}
    }

    private static final class WithoutCompletions extends BatchCopier {
        WithoutCompletions(BatchWriter writer) {
            super(writer);
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
                int length) {}
    }

    private static final class WithoutTokens extends BatchCopier {
        WithoutTokens(BatchWriter writer) {
            super(writer);
        }

        @Override
        public void token(long cid, long token, long epoch, long sequence) {}
    }
}
