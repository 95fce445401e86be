package dev.granary.net.message;

/** When a name may be changed. The codes are part of the protocol. */
public enum NameCondition {
    /** Always. */
    ALWAYS(0),
    /** Only when it stands for nothing yet. */
    IF_ABSENT(1),
    /** Only when it stands for the expected CID. */
    IF_EXPECTED(2);

    private static final NameCondition[] BY_CODE = values();

    private final int code;

    NameCondition(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /**
     * The condition with this code.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static NameCondition of(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("the condition " + code + " of a name is unknown");
        }
        return BY_CODE[code];
    }
}
