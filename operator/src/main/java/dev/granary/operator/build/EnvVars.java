package dev.granary.operator.build;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;

/** Variables of a container's environment. */
final class EnvVars {
    private EnvVars() {}

    /** A variable with a value. {@code $(NAME)} in it stands for a variable before this one. */
    static EnvVar of(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    /** A variable with the value of a field of the pod when the container starts. */
    static EnvVar fromField(String name, String path) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withApiVersion("v1")
                .withFieldPath(path)
                .endFieldRef()
                .endValueFrom()
                .build();
    }
}
