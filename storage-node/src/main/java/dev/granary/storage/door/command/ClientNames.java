package dev.granary.storage.door.command;

/** The names that clients give themselves. */
public final class ClientNames {

    /** The error for what is none. */
    public static final String NOT_A_NAME = "ERR Client names cannot contain spaces, newlines or special characters.";

    private ClientNames() {}

    /** Whether a name can stand in {@code CLIENT LIST} without looking like something else. */
    public static boolean isName(String name) {
        return name.chars().allMatch(letter -> letter >= '!' && letter <= '~');
    }
}
