package dev.granary.log.backup;

/**
 * Walks over the blocks and records of a file, and around what is broken: the search goes on behind it for the next intact
 * record or block.
 */
final class FileWalk {

    /** Is told what the file holds, in order. */
    interface Visitor {

        /** Is told an intact record. */
        void record(BlockHeader block, RecordView record);

        /** Is told that a run of bytes is not readable; the block is the last one that was, and null before the first. */
        void broken(int from, int to);
    }

    private final byte[] bytes;
    private final int limit;
    private final Visitor visitor;
    private final BlockHeader block = new BlockHeader();
    private final RecordView record = new RecordView();
    private long syncedBytes;

    /** Prepares to walk over the first bytes of an array. */
    FileWalk(byte[] bytes, int limit, Visitor visitor) {
        this.bytes = bytes;
        this.limit = limit;
        this.visitor = visitor;
    }

    /** The most that an intact block said to be durable in this file. */
    long syncedBytes() {
        return syncedBytes;
    }

    void run(int from) {
        int at = from;
        while (at < limit) {
            int blockAt = nextBlock(at);
            if (blockAt > at) {
                visitor.broken(at, blockAt);
            }
            if (blockAt < limit) {
                syncedBytes = Math.max(syncedBytes, block.syncedBytes);
                at = records(blockAt + BlockHeader.LENGTH);
            } else {
                at = limit;
            }
        }
    }

    /** Where the next intact block begins, its header being read; the limit if there is none. */
    private int nextBlock(int from) {
        int at = from;
        while (at < limit && !(block.read(bytes, at, limit) && block.offset == at)) {
            at++;
        }
        return at;
    }

    private int records(int from) {
        int end = (int) Math.min(limit, (long) from + block.payloadBytes);
        int at = from;
        while (at < end) {
            int recordAt = nextRecord(at, end);
            if (recordAt > at) {
                visitor.broken(at, recordAt);
            }
            if (recordAt < end) {
                visitor.record(block, record);
                at = record.end();
            } else {
                at = end;
            }
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
