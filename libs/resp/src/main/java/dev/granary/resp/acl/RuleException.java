package dev.granary.resp.acl;

/** A rule that cannot be applied. The message is Redis's. */
public final class RuleException extends Exception {

    private static final long serialVersionUID = 1L;

    static final String SYNTAX = "Syntax error";
    static final String UNKNOWN_NAME = "Unknown command or category name in ACL";

    RuleException(String message) {
        super(message);
    }
}
