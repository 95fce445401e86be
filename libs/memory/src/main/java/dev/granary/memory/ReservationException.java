package dev.granary.memory;

/** The operating system refused the address space or the memory for the VMB. */
public final class ReservationException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public ReservationException(String message) {
        super(message);
    }
}
