package dev.granary.log.backup;

import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.RecordView;

/**
 * Walks over the blocks and records of a file. Behind bytes that are broken it searches for the next intact record or
 * block.
 */
final class FileWalk {

    /** Visits the contents of a file, in order. */
    interface Visitor {

        /** Visits an intact record. */
        void record(BlockHeader block, RecordView record);

        /** Visits a run of bytes that cannot be read; the block is the last one whose header could be read. */
        void broken(BlockHeader block, int from, int to);
    }

    /** A visitor that does nothing. */
    static final Visitor NOTHING = new Visitor() {
        @Override
        public void record(BlockHeader block, RecordView record) {}

        @Override
        public void broken(BlockHeader block, int from, int to) {}
    };

    private final byte[] bytes;
    private final int limit;
    private final Visitor visitor;
    private final BlockHeader block = new BlockHeader();
    private final BlockHeader candidate = new BlockHeader();
    private final RecordView record = new RecordView();
    private long syncedBytes;

    /** Prepares to walk over the first bytes of an array. */
    FileWalk(byte[] bytes, int limit, Visitor visitor) {
        this.bytes = bytes;
        this.limit = limit;
        this.visitor = visitor;
    }

    /** Returns the largest number of durable bytes of this file that an intact block has named. */
    long syncedBytes() {
        return syncedBytes;
    }

    void run(int from) {
        int at = from;
        while (at < limit) {
            int blockAt = nextBlock(at);
            if (blockAt > at) {
                visitor.broken(block, at, blockAt);
            }
            if (blockAt < limit) {
                block.read(bytes, blockAt, limit);
                syncedBytes = Math.max(syncedBytes, block.syncedBytes);
                at = records(blockAt + BlockHeader.LENGTH);
            } else {
                at = limit;
            }
        }
    }

    /** Returns where the next intact block begins; the limit if there is none. */
    private int nextBlock(int from) {
        int at = from;
        while (at < limit && !(candidate.read(bytes, at, limit) && candidate.offset == at)) {
            at++;
        }
        return at;
    }

    private int records(int from) {
        long payloadEnd = (long) from + block.payloadBytes;
        int end = (int) Math.min(limit, payloadEnd);
        int at = from;
        while (at < end) {
            int recordAt = nextRecord(at, end);
            if (recordAt > at) {
                visitor.broken(block, at, recordAt);
            }
            if (recordAt < end) {
                visitor.record(block, record);
                at = record.end();
            } else {
                at = end;
            }
        }
        if (payloadEnd > limit && at == limit) {
            // Cut at the end of a record: the rest of the block is not there.
            visitor.broken(block, limit, limit);
        }
        return end;
    }

    private int nextRecord(int from, int end) {
        int at = from;
        while (at < end
                && !(record.parse(bytes, at, end)
                        && record.zone() == block.zone
                        && record.sequence() <= block.lastSequence
                        && record.isIntactAt(bytes, at, end))) {
            at++;
        }
        return at;
    }
}
