package dev.granary.keyed.command;

/** Strings in dumps. */
final class StringDump implements DumpForm {

    private static final int RDB_STRING = 0;

    @Override
    public void write(byte[] content, DumpWriter out) {
        out.unsignedByte(RDB_STRING);
        out.string(content);
    }

    @Override
    public boolean reads(int rdbType) {
        return rdbType == RDB_STRING;
    }

    @Override
    public byte[] read(int rdbType, DumpReader in) {
        return in.string();
    }
}
