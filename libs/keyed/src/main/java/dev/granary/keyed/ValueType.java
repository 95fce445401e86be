package dev.granary.keyed;

/** The types of values. Their codes are on disks and must not change. */
public enum ValueType {
    STRING(0, "string"),
    HASH(1, "hash");

    private static final ValueType[] BY_CODE = values();

    private final int code;
    private final String word;

    ValueType(int code, String word) {
        this.code = code;
        this.word = word;
    }

    /** Returns the number that stands for the type on disks, 0 to 15. */
    public int code() {
        return code;
    }

    /** Returns Redis's word for the type, as {@code TYPE} answers. */
    public String word() {
        return word;
    }

    /**
     * Returns the type with a code.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static ValueType of(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("there is no type of values with the code " + code);
        }
        return BY_CODE[code];
    }
}
