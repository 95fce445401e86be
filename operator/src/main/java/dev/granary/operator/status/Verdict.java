package dev.granary.operator.status;

/**
 * A condition without its times.
 *
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason one word in CamelCase
 * @param message a message for people
 */
record Verdict(String type, String status, String reason, String message) {
    static Verdict yes(String type, String reason, String message) {
        return new Verdict(type, "True", reason, message);
    }

    static Verdict no(String type, String reason, String message) {
        return new Verdict(type, "False", reason, message);
    }
}
