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

/** TLS between the processes of a cluster, and for its clients. */
@ValidationRule(value = "self.caDays >= 4 * self.certificateDays", message = TlsSpec.CA_LASTS)
@ValidationRule(value = "!has(self.secrets) || !has(self.revokedSerials)", message = TlsSpec.OWN_CA)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TlsSpec(
        @JsonPropertyDescription(
                "Whether all connections have TLS 1.3, and the processes prove to each other who they are. It is decided"
                        + " when the cluster is made; later it can change only while the cluster hibernates.")
        @Default("false")
        @Nullable
        Boolean enabled,

        @JsonPropertyDescription(
                "Whether clients must show a certificate of the CA: required, optional (one that is shown must be good),"
                        + " or none. A change restarts the pods, one after the other.")
        @Default("\"required\"")
        @Nullable
        String clientAuthentication,

        @JsonPropertyDescription(
                "Whether the HTTP ports have TLS as well. Then their pages are for those who show a certificate of a"
                        + " node, of an operator or for monitoring, and for users with granary.status; probes are for"
                        + " everybody. A change restarts the pods, one after the other.")
        @Default("false")
        @Nullable
        Boolean http,

        @JsonPropertyDescription("Whether the doors for clients of Redis have TLS as well, and nothing else.")
        @Default("true")
        @Nullable
        Boolean redis,

        @JsonPropertyDescription(
                "Whether clients of Redis must show a certificate: required, optional or none. Left out: as"
                        + " clientAuthentication says.")
        @Nullable
        String redisClientAuthentication,

        @JsonPropertyDescription(
                "More names of hosts and addresses in the certificate of the storage peers: those under which clients of"
                        + " Redis outside of the Kubernetes cluster reach them. For the operator's CA alone.")
        @Nullable
        List<String> names,

        @JsonPropertyDescription(
                "Secrets with certificates that somebody else issues and renews, such as cert-manager; each has tls.crt,"
                        + " tls.key and ca.crt. Left out: the operator makes a CA for this cluster and issues them.")
        @Nullable
        TlsSecretsSpec secrets,

        @JsonPropertyDescription(
                "For how many days the operator's certificates are valid. They are renewed when a third of that is left,"
                        + " without a restart.")
        @Default("90")
        @Min(1)
        @Max(825)
        @Nullable
        Integer certificateDays,

        @JsonPropertyDescription(
                "For how many days the operator's CA is valid. It is replaced in time, in steps that clients do not feel.")
        @Default("1825")
        @Min(4)
        @Max(36_500)
        @Nullable
        Integer caDays,

        @JsonPropertyDescription(
                "How many minutes each of the two steps of a change of the CA takes at least: within them clients that"
                        + " have a copy of ca.crt of their own must get the new one. The operator waits for the pods of the"
                        + " cluster in any case.")
        @Default("10")
        @Min(0)
        @Max(100_000)
        @Nullable
        Integer graceMinutes,

        @JsonPropertyDescription(
                "Serial numbers of certificates of the operator's CA that are revoked, in hexadecimal digits, as"
                        + " 'openssl x509 -serial' tells them. Whoever shows one is refused, and its connections are"
                        + " closed. A role whose certificate is among them gets another one.")
        @Nullable
        List<String> revokedSerials) {
    /** What {@code revokedSerials} may have. */
    public static final String SERIAL = "([0-9A-Fa-f]{1,2}:?){1,32}";

    /** The values of {@code clientAuthentication}, the default first. */
    public static final List<String> CLIENT_AUTHENTICATION = List.of("required", "optional", "none");

    /** What {@code names} may have. */
    public static final String NAME = "(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*";

    /** How many times as long as a certificate a CA must be valid at least. */
    public static final int CA_TIMES = 4;

    /** What is said where it is not. */
    public static final String CA_LASTS = "tls.caDays must be at least four times tls.certificateDays";

    /** What is said where somebody else's certificates are to be revoked. */
    public static final String OWN_CA =
            "tls.revokedSerials is for certificates of the operator's CA: with tls.secrets put"
                    + " a revocation list into the key crl.pem of these Secrets";

    /** Default of {@code certificateDays}. */
    public static final int CERTIFICATE_DAYS = 90;

    /** Default of {@code caDays}. */
    public static final int CA_DAYS = 1825;

    /** Default of {@code graceMinutes}. */
    public static final int GRACE_MINUTES = 10;
}
