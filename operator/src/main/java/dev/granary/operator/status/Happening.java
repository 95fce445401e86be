package dev.granary.operator.status;

/**
 * An event that a person should see at a resource.
 *
 * @param warning whether the event is a Warning; otherwise it is Normal
 * @param reason one word in CamelCase
 * @param message a message for people
 */
public record Happening(boolean warning, String reason, String message) {}
