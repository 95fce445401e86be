package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** Where a password is. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UserPassword(
        @JsonPropertyDescription("A key of a Secret.") @Required
        SecretKey secretRef) {

    /** A key of a Secret of the same namespace. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SecretKey(
            @JsonPropertyDescription("Name of the Secret; it is in the namespace of this resource.")
            @Required
            @Size(min = 1, max = 253)
            String name,

            @JsonPropertyDescription("The key whose value is the password.")
            @Default("\"password\"")
            @Size(min = 1, max = 253)
            @Nullable
            String key) {

        private static final String KEY = "password";

        /** Returns the key whose value is the password. */
        public String keyOrDefault() {
            return key == null ? KEY : key;
        }
    }
}
