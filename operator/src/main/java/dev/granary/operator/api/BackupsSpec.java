package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** Copies of the chunks on other peers. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BackupsSpec(
        @JsonPropertyDescription("Backups of each chunk beside its owner, 0 to 3. Without effect in this version.")
        @Default("3")
        @ValidationRule(value = "self >= 0 && self <= 3", message = "backups.replicas must be from 0 to 3")
        @Nullable
        Integer replicas,

        @JsonPropertyDescription(
                "When a write is acknowledged: replicated (the backups hold it), synced (they have it on"
                        + " disk), async (at once). Without effect in this version.")
        @Default("\"replicated\"")
        @ValidationRule(
                value = "self in ['replicated', 'synced', 'async']",
                message = "backups.durability must be replicated, synced or async")
        @Nullable
        String durability) {}
