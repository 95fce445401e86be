package dev.granary.serialization;

/** An object that writes its own fields as bytes (DXMem section V-A). */
public interface Exportable {

    /**
     * Returns exactly how many bytes {@link #exportTo} will write, at least 0. The statics of {@link Exporter} help to
     * count.
     */
    int sizeBytes();

    /** Writes the fields, in the order in which {@link Importable#importFrom} reads them. */
    void exportTo(Exporter out);
}
