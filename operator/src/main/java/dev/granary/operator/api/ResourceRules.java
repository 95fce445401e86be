package dev.granary.operator.api;

/** The rules of {@code resources} of both roles. */
final class ResourceRules {
    static final String NO_MEMORY = "(!has(self.requests) || !('memory' in self.requests))"
            + " && (!has(self.limits) || !('memory' in self.limits))";
    static final String NO_MEMORY_MESSAGE =
            "memory is no part of resources: the field memory beside it is request and limit of the container";

    private ResourceRules() {}
}
