package dev.granary.keyed.command;

/** A command cannot be carried out; nothing has changed. The message is the error for the client, with its code. */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    public static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
    public static final String NOT_A_FLOAT = "ERR value is not a valid float";
    public static final String SYNTAX = "ERR syntax error";

    /** Carries no stack: clients cause it as often as they like. */
    public CommandException(String error) {
        super(error, null, false, false);
    }
}
