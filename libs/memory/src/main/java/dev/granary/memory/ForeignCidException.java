package dev.granary.memory;

/** The CID has the NID of another peer: its chunk cannot be here. */
public final class ForeignCidException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public ForeignCidException(long cid, int nid) {
        super("chunk 0x%016x belongs to node 0x%04x, this is node 0x%04x".formatted(cid, cid >>> 48, nid));
    }
}
