package dev.granary.operator.plan;

/**
 * What the operator's own settings decide for every cluster.
 *
 * @param image image of super-peers and storage peers where a resource names none
 * @param imagePullPolicy pull policy where a resource names none
 */
public record OperatorDefaults(String image, String imagePullPolicy) {}
