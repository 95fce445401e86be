package dev.granary.storage.replicate;

import dev.granary.log.batch.Batch;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.rpc.RpcRequest;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A backup that takes batches in order, refuses some as if its disk were behind, syncs when asked to, and cuts what it
 * holds when a copy is opened in a new epoch. Any thread may read what it has.
 */
final class ModelBackup {

    /** By the number of the zone, which is the low bits of its id minus one. */
    final AtomicLongArray held;

    final AtomicLongArray synced;
    final Queue<String> problems = new ConcurrentLinkedQueue<>();

    private final long[] epochs;
    private final SplittableRandom random = new SplittableRandom(7);

    ModelBackup(int zones, long epoch) {
        held = new AtomicLongArray(zones);
        synced = new AtomicLongArray(zones);
        epochs = new long[zones];
        Arrays.fill(epochs, epoch);
    }

    /** Handles the requests of one connection one after the other. */
    synchronized void handle(RpcRequest request) {
        if (request.type() == MessageType.OPEN_COPIES.code()) {
            OpenCopies open = request.read(MessageType.OPEN_COPIES);
            request.reply(new CopyStates(open.copies().stream().map(this::open).toList()));
        } else if (request.type() == MessageType.REPLICATE) {
            replicate(request);
        } else {
            problems.add("a request of type " + request.type());
        }
    }

    private static int number(int zone) {
        return (zone & 0x7FFF) - 1;
    }

    private CopyState open(OpenCopies.Opening wanted) {
        int z = number(wanted.zone());
        if (wanted.epoch() > epochs[z]) {
            epochs[z] = wanted.epoch();
            held.set(z, Math.min(held.get(z), wanted.baseSequence()));
            synced.set(z, Math.min(synced.get(z), wanted.baseSequence()));
        }
        return state(wanted.zone(), wanted.epoch() < epochs[z] ? CopyResult.FENCED : CopyResult.OK);
    }

    private CopyState state(int zone, CopyResult result) {
        return new CopyState(zone, result, epochs[number(zone)], held.get(number(zone)));
    }

    private void replicate(RpcRequest request) {
        ByteBuf in = request.payload();
        Replicate header = Replicate.read(in);
        boolean sync = (header.flags() & Replicate.FLAG_SYNC) != 0;
        List<CopyState> states = new ArrayList<>();
        for (int i = 0; i < header.zones(); i++) {
            int zone = in.readIntLE();
            long epoch = in.readLongLE();
            long acknowledged = in.readLongLE();
            ByteBuf batches = in.readSlice(in.readIntLE());
            if (epoch == epochs[number(zone)] && acknowledged > held.get(number(zone))) {
                problems.add("more is acknowledged of zone " + zone + " than this backup holds");
            }
            CopyState state = take(zone, epoch, batches);
            if (sync && state.result() == CopyResult.OK) {
                synced.set(number(zone), held.get(number(zone)));
            }
            states.add(state);
        }
        ByteBuf out = request.startReply(Short.BYTES + CopyState.BYTES * states.size());
        out.writeShortLE(states.size());
        states.forEach(state -> state.writeTo(out));
        request.reply(out);
    }

    private CopyState take(int zone, long epoch, ByteBuf batches) {
        int z = number(zone);
        if (epoch != epochs[z]) {
            return state(zone, epoch < epochs[z] ? CopyResult.FENCED : CopyResult.UNKNOWN_ZONE);
        }
        if (random.nextInt(10) == 0) {
            return state(zone, CopyResult.BUSY);
        }
        while (batches.isReadable()) {
            Batch batch = Batch.of(batches.readSlice(sizeOf(batches)).nioBuffer());
            if (batch == null || batch.zone() != zone || batch.epoch() != epoch) {
                problems.add("a part of zone " + zone + " that is no batch of it");
                return state(zone, CopyResult.FAILED);
            }
            if (batch.sequence() > held.get(z) + 1) {
                return state(zone, CopyResult.GAP);
            }
            held.accumulateAndGet(z, batch.sequence(), Math::max);
        }
        return state(zone, CopyResult.OK);
    }

    /** Returns the size of the next batch: a checksum, its kind, the size of the rest as a varint, the rest. */
    private static int sizeOf(ByteBuf batches) {
        int at = batches.readerIndex() + 5;
        int rest = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = batches.getByte(at++);
            rest |= (next & 0x7F) << shift;
            if (next >= 0) {
                return at - batches.readerIndex() + rest;
            }
        }
    }
}
