package dev.granary.operator.plan;

import org.jspecify.annotations.Nullable;

/**
 * What the operator's own settings decide for every cluster.
 *
 * @param image image of super-peers and storage peers where a resource names none
 * @param imagePullPolicy pull policy where a resource names none
 * @param namespace where the operator itself runs, {@code null} when it is not known
 */
public record OperatorDefaults(
        String image, String imagePullPolicy, @Nullable String namespace) {}
