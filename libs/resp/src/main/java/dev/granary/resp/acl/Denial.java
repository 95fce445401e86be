package dev.granary.resp.acl;

import dev.granary.resp.command.Command;

/**
 * Why a request is not carried out.
 *
 * @param object the command or the key that is not allowed; of a failed authentication, the command
 * @param argument which argument of the request the key is; 0 for a command
 */
public record Denial(Reason reason, String object, int argument) {

    /** What is not allowed. */
    public enum Reason {
        COMMAND("command"),
        KEY("key"),
        AUTH("auth");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        /** Returns Redis's word for it. */
        public String word() {
            return word;
        }
    }

    static Denial ofCommand(Command command) {
        return new Denial(Reason.COMMAND, command.name(), 0);
    }

    /** Returns the error that the client gets. */
    public String error() {
        return reason == Reason.COMMAND
                ? "NOPERM this user has no permissions to run the '" + object + "' command"
                : "NOPERM this user has no permissions to access one of the keys used as arguments";
    }

    /** Returns what is told to who asks whether a user may carry the request out. */
    public String answer() {
        return reason == Reason.COMMAND
                ? "This user has no permissions to run the '" + object + "' command"
                : "This user has no permissions to access the '" + object + "' key";
    }
}
