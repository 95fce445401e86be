package dev.granary.operator.plan;

import org.jspecify.annotations.Nullable;

/**
 * The operator's own settings for every cluster.
 *
 * @param image image of super-peers and storage peers where a resource names none
 * @param imagePullPolicy pull policy where a resource names none
 * @param namespace the namespace of the operator itself, {@code null} when it is not known
 * @param usersAssigned whether the platform assigns the users of pods, as OpenShift does
 */
public record OperatorDefaults(
        String image, String imagePullPolicy, @Nullable String namespace, boolean usersAssigned) {}
