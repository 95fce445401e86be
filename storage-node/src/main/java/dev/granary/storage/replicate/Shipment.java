package dev.granary.storage.replicate;

import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.Replicate;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * One request to one backup. It carries whole batches of some zones. Without batches it asks up to which sequence the
 * backup holds the zones, or asks it to sync them. One thread fills and writes it, another one reads the answer.
 */
final class Shipment {

    private final List<Part> parts = new ArrayList<>();
    private final List<ByteBuf> batches = new ArrayList<>();
    private long bytes;
    private boolean sync;

    /**
     * The batches of one zone.
     *
     * @param acknowledged the sequence up to which all members held everything when the part was loaded
     * @param first the first sequence
     * @param last the last sequence; of a part without batches the sequence that the backup was known to hold
     */
    record Part(ZoneCopy copy, long epoch, long acknowledged, long first, long last, int sizeBytes) {

        static Part of(ZoneCopy copy, long first, long last, int sizeBytes) {
            return new Part(copy, copy.openEpoch, copy.zone.acked(), first, last, sizeBytes);
        }
    }

    /** Loads batches that a copy lacks, until the request has about {@code limitBytes}. The caller locks the zone. */
    void load(ZoneCopy copy, int limitBytes) {
        assert copy.zone.isLocked();
        PendingBatches pending = copy.zone.pending();
        long first = copy.next;
        int sizeBytes = 0;
        long sequence = first;
        while (sequence < pending.next() && bytes < limitBytes) {
            ByteBuf batch = pending.get(sequence);
            batches.add(batch.retain());
            sizeBytes += batch.readableBytes();
            bytes += batch.readableBytes();
            sequence++;
        }
        if (sequence > first) {
            copy.next = sequence;
            parts.add(Part.of(copy, first, sequence - 1, sizeBytes));
        }
    }

    /** Asks the backup to sync what a copy holds when the request arrives. The caller locks the zone. */
    void loadSync(ZoneCopy copy) {
        assert copy.zone.isLocked();
        parts.add(Part.of(copy, copy.acked + 1, copy.acked, 0));
        sync = true;
    }

    /** Asks up to which sequence the backup holds a copy. The caller locks the zone. */
    void loadCheck(ZoneCopy copy) {
        assert copy.zone.isLocked();
        parts.add(Part.of(copy, copy.acked + 1, copy.acked, 0));
    }

    boolean isEmpty() {
        return parts.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    List<Part> parts() {
        return parts;
    }

    /** Appends the request's payload. */
    void writeTo(ByteBuf out, UUID clusterId, int ownerNid) {
        out.ensureWritable((int) (Replicate.BYTES + (long) Replicate.PART_BYTES * parts.size() + bytes));
        new Replicate(clusterId, ownerNid, sync ? Replicate.FLAG_SYNC : 0, parts.size()).writeTo(out);
        int next = 0;
        for (Part part : parts) {
            out.writeIntLE(part.copy.zone.id()).writeLongLE(part.epoch);
            out.writeLongLE(part.acknowledged).writeIntLE(part.sizeBytes);
            for (long sequence = part.first; sequence <= part.last; sequence++) {
                ByteBuf batch = batches.get(next++);
                out.writeBytes(batch, batch.readerIndex(), batch.readableBytes());
            }
        }
    }

    /** Releases the batches; nothing may be written any more. */
    void release() {
        batches.forEach(ByteBuf::release);
        batches.clear();
    }

    /** Reads the answer to this request. */
    List<CopyState> readReply(ByteBuf in) {
        int count = in.readUnsignedShortLE();
        if (count != parts.size()) {
            throw new IllegalArgumentException(count + " states for " + parts.size() + " parts");
        }
        List<CopyState> states = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            CopyState state = CopyState.read(in);
            if (state.zone() != parts.get(i).copy.zone.id()) {
                throw new IllegalArgumentException("a state of zone " + state.zone() + " in another's place");
            }
            states.add(state);
        }
        return states;
    }
}
