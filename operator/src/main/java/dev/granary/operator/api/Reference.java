package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A reference to another object of the same namespace, as a LocalObjectReference of Kubernetes. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Reference(
        @JsonPropertyDescription("Name of the object; it is in the namespace of this resource.")
        @Required
        @Size(min = 1, max = 253)
        String name) {}
