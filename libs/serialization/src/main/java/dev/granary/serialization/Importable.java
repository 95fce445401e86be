package dev.granary.serialization;

/** An object that reads its own fields from bytes that an {@link Exportable} wrote (DXMem section V-A). */
public interface Importable {

    /**
     * Reads the fields, in the order in which they were written.
     *
     * @throws MalformedDataException if the bytes end too early or cannot have been written by an {@link Exporter}
     */
    void importFrom(Importer in);
}
