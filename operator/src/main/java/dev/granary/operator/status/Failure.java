package dev.granary.operator.status;

/**
 * Why a round of the operator for a resource has failed.
 *
 * @param reason one word in CamelCase
 * @param message a message for people
 * @param lasting whether it fails again until a person has changed something; otherwise another try may succeed
 */
public record Failure(String reason, String message, boolean lasting) {}
