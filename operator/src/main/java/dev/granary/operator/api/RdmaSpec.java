package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** RDMA devices for the storage peers. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RdmaSpec(
        @JsonPropertyDescription(
                "off; required: every storage peer asks for the device, the capability IPC_LOCK and a node with the labels"
                        + " of nodeSelector, and stays Pending without; auto: they ask for it once the nodes have enough for"
                        + " all of them, and run without until then. on is another word for required. Unquoted off and on"
                        + " are booleans in YAML 1.1; false and true mean the same here. Traffic goes over TCP in this"
                        + " version, whatever the mode.")
        @Default("\"off\"")
        @Nullable
        String mode,

        @JsonPropertyDescription("Extended resource under which the device plugin offers the device.")
        @Default("\"rdma/hca_shared_devices_a\"")
        @ValidationRule(
                value = "self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$')"
                        + " && !self.startsWith('kubernetes.io/')",
                message =
                        "rdma.resourceName must be the name of an extended resource, such as rdma/hca_shared_devices_a")
        @Nullable
        String resourceName,

        @JsonPropertyDescription("Devices for each storage peer.")
        @Default("1")
        @ValidationRule(value = "self >= 1 && self <= 64", message = "rdma.count must be from 1 to 64")
        @Nullable
        Integer count,

        @JsonPropertyDescription("Labels of the nodes that have the device; used when the device is asked for.")
        @Nullable
        Map<String, String> nodeSelector) {}
