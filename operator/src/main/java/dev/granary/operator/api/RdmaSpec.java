package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** RDMA devices for the storage peers. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RdmaSpec(
        @JsonPropertyDescription(
                "disabled; required: every storage peer asks for the device, the capability IPC_LOCK and a node with the"
                        + " labels of nodeSelector, and stays Pending without; auto: they ask for it once the nodes have"
                        + " enough for all of them, and run without until then. Traffic goes over TCP in this version,"
                        + " whatever the mode.")
        @Default("\"disabled\"")
        @Nullable
        String mode,

        @JsonPropertyDescription("Extended resource under which the device plugin offers the device.")
        @Default("\"rdma/hca_shared_devices_a\"")
        @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
        @ValidationRule(
                value = "!self.startsWith('kubernetes.io/')",
                message = "rdma.resourceName must not be under kubernetes.io/: it is the name of an extended resource,"
                        + " such as rdma/hca_shared_devices_a")
        @Nullable
        String resourceName,

        @JsonPropertyDescription("Devices for each storage peer.") @Default("1") @Min(1) @Max(64) @Nullable
        Integer count,

        @JsonPropertyDescription("Labels of the nodes that have the device; used when the device is asked for.")
        @Nullable
        Map<String, String> nodeSelector) {
    /** The mode without devices. */
    public static final String DISABLED = "disabled";

    /** The mode that leaves it to the Kubernetes nodes whether there are devices. */
    public static final String AUTO = "auto";

    /** The mode in which no storage peer runs without a device. */
    public static final String REQUIRED = "required";
}
