package dev.granary.log.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An intact batch: its header, and its entries for a visitor. What {@link #of} returns has been checked as a whole.
 * Immutable, as long as nobody writes to the array below it.
 */
public final class Batch {

    /** The largest batch, in bytes. */
    public static final int MAX_BYTES = BatchFormat.MAX_BATCH_BYTES;

    private final byte[] bytes;
    private final RecordView view;

    private Batch(byte[] bytes, RecordView view) {
        this.bytes = bytes;
        this.view = view;
    }

    /**
     * Checks the remaining bytes of a buffer, which must be one batch and nothing else. The buffer's position stays.
     *
     * @return null when they are not an intact batch
     */
    public static @Nullable Batch of(ByteBuffer buffer) {
        byte[] bytes;
        int begin;
        int end;
        if (buffer.hasArray()) {
            bytes = buffer.array();
            begin = buffer.arrayOffset() + buffer.position();
            end = begin + buffer.remaining();
        } else {
            bytes = new byte[buffer.remaining()];
            buffer.get(buffer.position(), bytes);
            begin = 0;
            end = bytes.length;
        }
        RecordView view = new RecordView();
        if (!view.isIntactAt(bytes, begin, end)
                || view.end() != end
                || view.kind() != BatchFormat.KIND_BATCH
                || !view.hasWholeEntries(bytes)) {
            return null;
        }
        return new Batch(bytes, view);
    }

    public int zone() {
        return view.zone();
    }

    public long epoch() {
        return view.epoch();
    }

    public long sequence() {
        return view.sequence();
    }

    /** All bytes of the batch. */
    public int sizeBytes() {
        return view.end() - view.begin();
    }

    /** Tells the entries in the order in which they were written. */
    public void forEach(EntryVisitor visitor) {
        new EntryCursor(bytes).tellAll(view, visitor);
    }
}
