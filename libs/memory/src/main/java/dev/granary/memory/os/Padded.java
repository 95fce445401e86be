package dev.granary.memory.os;

/**
 * What is written all the time by the one thread that has a stripe. The fields that follow begin 128 bytes, two cache
 * lines that are fetched together, behind whatever lies in front of the object, so that others do not lose the line
 * from which they only read. Without it creates of two threads were as slow as those of one in every second memory,
 * as the heap happened to lie.
 */
public abstract class Padded {

    long pad0;
    long pad1;
    long pad2;
    long pad3;
    long pad4;
    long pad5;
    long pad6;
    long pad7;
    long pad8;
    long pad9;
    long pad10;
    long pad11;
    long pad12;
    long pad13;
    long pad14;
    long pad15;
}
