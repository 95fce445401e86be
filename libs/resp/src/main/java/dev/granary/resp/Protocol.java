package dev.granary.resp;

/** The two versions of the protocol; a connection begins with the first and may ask for the other by HELLO. */
public enum Protocol {
    RESP2(2),
    RESP3(3);

    private final int number;

    Protocol(int number) {
        this.number = number;
    }

    /** Returns the number by which HELLO calls it. */
    public int number() {
        return number;
    }
}
