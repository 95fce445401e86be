package dev.granary.cli.keys;

/** A key and its value. */
@SuppressWarnings("ArrayRecordComponent") // It is written, never compared.
record KeyValue(byte[] key, byte[] value) {}
