package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The spec of a user of the doors of a cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!self.enabled || (has(self.passwords) && size(self.passwords) > 0)",
        message = "passwords must name at least one Secret with a password, or enabled must be false")
public record GranaryUserSpec(
        @JsonPropertyDescription("The Granary at whose doors the user is; its redis.managedUsers must be true.")
        @Required
        @ValidationRule(
                value = "self == oldSelf",
                message = "granaryRef cannot change: make another GranaryUser, and delete this one")
        Reference granaryRef,

        @JsonPropertyDescription(
                "Name of the user at the door; the name of this resource when left out. The user 'default' is that of"
                        + " clients that send a password and no name.")
        @Pattern("^[!-~]+$")
        @Size(min = 1, max = 128)
        @Nullable
        String user,

        @JsonPropertyDescription(
                "Whether anybody can authenticate as this user. When it becomes false its connections are closed.")
        @Default("true")
        @Nullable
        Boolean enabled,

        @JsonPropertyDescription(
                "Where its passwords are. Each of them will do, so that a new one can be added before the old one goes.")
        @Nullable
        List<Password> passwords,

        @JsonPropertyDescription(
                "What it may do: rules of Redis's ACL about commands, keys and channels, apart by spaces, such as"
                        + " '~shop:* %R~prices:* +@all -@dangerous'.")
        @Required
        @Pattern("^[^\\x00-\\x1f]*$")
        @Size(min = 1, max = 4096)
        String rules) {

    /** Returns whether anybody can authenticate as this user. */
    public boolean authenticates() {
        return !Boolean.FALSE.equals(enabled);
    }

    /** Where a password is. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Password(
            @JsonPropertyDescription("A key of a Secret.") @Required
            SecretKey secretRef) {}

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
