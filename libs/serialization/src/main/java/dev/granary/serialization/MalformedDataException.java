package dev.granary.serialization;

/** Bytes that an {@link Importer} reads are not what an {@link Exporter} writes. */
public final class MalformedDataException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Says what is wrong and where. */
    public MalformedDataException(String message) {
        super(message);
    }
}
