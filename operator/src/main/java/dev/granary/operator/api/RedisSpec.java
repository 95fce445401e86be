package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The doors of the storage peers, at which they look like nodes of a Redis cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(value = "!self.managedUsers || !has(self.usersSecretRef)", message = RedisSpec.ONE_SOURCE)
public record RedisSpec(
        @JsonPropertyDescription(
                "Whether every storage peer has a door: port 6379, on which it looks like a node of a Redis cluster. A"
                        + " Service leads to the doors of those that are ready. Without managedUsers and usersSecretRef it asks"
                        + " for no password: let networkPolicy say who may connect.")
        @Default("false")
        @Nullable
        Boolean enabled,

        @JsonPropertyDescription(
                "Where clients that know of Redis clusters are told that a storage peer is: what CLUSTER SLOTS and MOVED"
                        + " name. Clients within and without the Kubernetes cluster are told the same.")
        @Default("{}")
        @Nullable
        RedisAnnounceSpec announce,

        @JsonPropertyDescription(
                "Which clients are sent to the owner of a key: aware, those that have asked for the cluster's slots;"
                        + " always, all; never, none. Others are served by any door, one hop away from the owner.")
        @Default("\"aware\"")
        @Nullable
        String redirect,

        @JsonPropertyDescription("How many clients one storage peer serves at once; more are refused.")
        @Default("10000")
        @Min(1)
        @Max(1_000_000)
        @Nullable
        Integer maxClients,

        @JsonPropertyDescription("After how many seconds a client is closed that asks nothing. Left out: never.")
        @Min(1)
        @Max(31_536_000)
        @Nullable
        Integer idleSeconds,

        @JsonPropertyDescription(
                "A Secret with the users of the doors, and of the binary protocol: the key users.acl has a line for each,"
                        + " in the format of Redis's ACL files. Its content may change at any time, and holds about a"
                        + " minute later, without a restart. Left out: everybody is the default user, who needs no password and may do"
                        + " everything.")
        @Nullable
        Reference usersSecretRef,

        @JsonPropertyDescription(
                "Whether the users of the doors, and of the binary protocol, are the GranaryUsers of this Granary. Then"
                        + " nobody gets in without a password, even while there are none. A change of this field"
                        + " replaces all pods one at a time; users then come and go without a restart.")
        @Default("false")
        @Nullable
        Boolean managedUsers,

        @JsonPropertyDescription("The Service that leads to the doors. A change of it restarts nothing.")
        @Default("{}")
        @Nullable
        RedisServiceSpec service) {
    /** The values of {@code redirect}, the default first. */
    public static final List<String> REDIRECTS = List.of("aware", "always", "never");

    /** What is said where users have two sources. */
    public static final String ONE_SOURCE = "redis.managedUsers and redis.usersSecretRef exclude each other: users are"
            + " GranaryUsers, or the lines of that Secret";

    /** Default of {@code maxClients}. */
    public static final int MAX_CLIENTS = 10_000;
}
