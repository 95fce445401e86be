package dev.granary.schema;

/** An enum whose constants have codes, one byte each, which are never given to another constant. */
public interface Coded {

    /** The code, 0..255. */
    int code();
}
