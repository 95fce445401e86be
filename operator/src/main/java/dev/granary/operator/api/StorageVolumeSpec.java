package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import org.jspecify.annotations.Nullable;

/** The volume of each storage peer. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "has(self.storageClassName) == has(oldSelf.storageClassName)"
                + " && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",
        message =
                "storagePeers.volume.storageClassName cannot change: Kubernetes cannot move a volume to another class")
@ValidationRule(
        value = "!has(oldSelf.size) || has(self.size) || !isQuantity(string(oldSelf.size))"
                + " || quantity(string(oldSelf.size)).compareTo(quantity('10Gi')) <= 0",
        message = "storagePeers.volume.size can only grow: without it, volumes have the size that they were made with")
@ValidationRule(
        value = "has(oldSelf.size) || !has(self.size) || !isQuantity(string(self.size))"
                + " || quantity(string(self.size)).compareTo(quantity('10Gi')) >= 0",
        message = "storagePeers.volume.size can only grow: volumes whose size was left out have 10Gi at least")
public record StorageVolumeSpec(
        @JsonPropertyDescription(
                "Size of the volume. Left out: what storagePeers.copies copies and a hibernation take, and 10Gi at least;"
                        + " once there are volumes, the size that they were made with. Copies take about half as much again"
                        + " as storagePeers.memory, times the number of copies; a hibernation takes the memory in use once"
                        + " more. It can grow where the storage class allows expansion, never shrink.")
        @ValidationRule(
                value = "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
                message = "storagePeers.volume.size must be a quantity above 0, such as 10Gi")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('1Gi')) >= 0",
                message = "storagePeers.volume.size must be at least 1Gi: the volume holds the logs of others' chunks")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",
                message = "storagePeers.volume.size can only grow: Kubernetes cannot shrink a volume")
        @Nullable
        Quantity size,

        @JsonPropertyDescription(
                "Storage class of the volume; the cluster's default class when left out. It cannot change.")
        @Size(min = 1, max = 253)
        @Nullable
        String storageClassName) {}
