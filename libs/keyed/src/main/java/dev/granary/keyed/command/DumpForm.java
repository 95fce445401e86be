package dev.granary.keyed.command;

/** How the values of one type are in dumps. Has no state. */
interface DumpForm {

    /** Writes the type's number in RDB files, and the value behind it. */
    void write(byte[] content, DumpWriter out);

    /** Returns whether it reads values of a type of RDB files. A type of Redis may have several there. */
    boolean reads(int rdbType);

    /**
     * Reads what is behind the type's number, and returns the content of the value.
     *
     * @throws CommandException when it is damaged
     */
    byte[] read(int rdbType, DumpReader in);
}
