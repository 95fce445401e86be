package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** Where clients are told that the door of a storage peer is. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(value = "!has(self.port) || !has(self.firstPort)", message = RedisAnnounceSpec.ONE_PORT)
@ValidationRule(
        value = "has(self.firstPort) || !has(self.host)"
                + " || ['{address}', '{hostname}', '{pod}', '{ordinal}'].exists(one, self.host.contains(one))",
        message = RedisAnnounceSpec.ONE_EACH)
public record RedisAnnounceSpec(
        @JsonPropertyDescription(
                "Host of a storage peer. {address} stands for the address of its pod, {hostname} for the pod's name in"
                        + " the cluster's DNS, {pod} for its name, {ordinal} for the number at the end of the name, and"
                        + " {nodeAddress} for the address of its Kubernetes node. For clients outside, for instance:"
                        + " redis-{ordinal}.example.org. Left out: {address}; with TLS {hostname}, since clients compare it"
                        + " with the certificate.")
        @Size(min = 1, max = 253)
        @ValidationRule(
                value = "self.matches('^([A-Za-z0-9.-]|\\\\{(address|hostname|nodeAddress|pod|ordinal)\\\\})+$')",
                message = RedisAnnounceSpec.A_HOST)
        @Nullable
        String host,

        @JsonPropertyDescription("Port of every storage peer, as clients reach it. Left out: 6379.")
        @Min(1)
        @Max(65535)
        @Nullable
        Integer port,

        @JsonPropertyDescription(
                "Port of the storage peer with the ordinal 0, as clients reach it; the others have those that follow."
                        + " For storage peers behind one host, or on ports of Kubernetes nodes.")
        @Min(1)
        @Max(65535)
        @Nullable
        Integer firstPort) {
    /** Default of {@code host}. */
    public static final String ADDRESS = "{address}";

    /** The same with TLS. */
    public static final String HOSTNAME = "{hostname}";

    /** What a host may be written with. */
    public static final String A_HOST =
            "redis.announce.host must have letters, digits, '.', '-', and of what stands in braces only {address},"
                    + " {hostname}, {nodeAddress}, {pod} and {ordinal}";

    /** Why two ports are one too many. */
    public static final String ONE_PORT =
            "redis.announce.port is the port of every storage peer and redis.announce.firstPort that of the first one:"
                    + " name one of them";

    /** Why a host must differ between storage peers. */
    public static final String ONE_EACH =
            "redis.announce.host must have {address}, {hostname}, {pod} or {ordinal}, or redis.announce.firstPort must"
                    + " be set: else clients would find all storage peers at one address";

    /** The empty spec. */
    public static final RedisAnnounceSpec NONE = new RedisAnnounceSpec(null, null, null);
}
