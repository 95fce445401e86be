package dev.granary.operator.status;

/**
 * Something that a person should see in the events of a resource.
 *
 * @param warning whether it is a Warning; else Normal
 * @param reason one word in CamelCase
 * @param message for people
 */
public record Happening(boolean warning, String reason, String message) {}
