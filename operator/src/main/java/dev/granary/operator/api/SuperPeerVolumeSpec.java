package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import org.jspecify.annotations.Nullable;

/** The volume of each super-peer. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "has(self.storageClassName) == has(oldSelf.storageClassName)"
                + " && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",
        message = "superPeers.volume.storageClassName cannot change: Kubernetes cannot move a volume to another class")
public record SuperPeerVolumeSpec(
        @JsonPropertyDescription(
                "Size of the volume. It can grow where the storage class allows expansion, never shrink.")
        @Default("\"1Gi\"")
        @ValidationRule(
                value = "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
                message = "superPeers.volume.size must be a quantity above 0, such as 1Gi")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",
                message = "superPeers.volume.size can only grow: Kubernetes cannot shrink a volume")
        @Nullable
        Quantity size,

        @JsonPropertyDescription(
                "Storage class of the volume; the cluster's default class when left out. It cannot change.")
        @Size(min = 1, max = 253)
        @Nullable
        String storageClassName) {}
