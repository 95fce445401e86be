package dev.granary.operator.plan;

import org.jspecify.annotations.Nullable;

/**
 * The operator's own settings for every cluster.
 *
 * @param image image of super-peers and storage peers where a resource names none
 * @param imagePullPolicy pull policy where a resource names none
 * @param namespace the namespace of the operator itself, {@code null} when it is not known
 */
public record OperatorDefaults(
        String image, String imagePullPolicy, @Nullable String namespace) {}
