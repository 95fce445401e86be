package dev.granary.operator.plan;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.TlsSecretsSpec;
import dev.granary.operator.api.TlsSpec;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * TLS of a cluster.
 *
 * @param clients whether clients must show certificates, one of {@link TlsSpec#CLIENT_AUTHENTICATION}
 * @param http whether the HTTP ports have it
 * @param redis whether the doors for clients of Redis have it
 * @param redisClients whether clients of Redis must show certificates, {@code null} for the same as other clients
 * @param names more names and addresses of the storage peers in their certificate
 * @param secrets the Secrets of another CA than the operator's, {@code null} when the operator issues
 * @param certificateDays how long a certificate is valid
 * @param authorityDays how long a CA is valid
 * @param graceMinutes how long each step of a change of the CA takes at least
 * @param revoked the serial numbers of certificates that are revoked
 * @param certificateWish a person's wish for other certificates, {@code null} for none
 * @param authorityWish a person's wish for another CA, {@code null} for none
 */
public record TlsPlan(
        String clients,
        boolean http,
        boolean redis,
        @Nullable String redisClients,
        List<String> names,
        @Nullable Secrets secrets,
        int certificateDays,
        int authorityDays,
        int graceMinutes,
        Set<BigInteger> revoked,
        @Nullable String certificateWish,
        @Nullable String authorityWish) {
    private static final Pattern SERIAL = Pattern.compile(TlsSpec.SERIAL);
    private static final Pattern NAME = Pattern.compile(TlsSpec.NAME);

    /** Copies the names and numbers. */
    public TlsPlan {
        names = List.copyOf(names);
        revoked = Set.copyOf(revoked);
    }

    /**
     * The names of Secrets that others keep.
     *
     * @param monitor for who reads the HTTP ports, {@code null} when there is none
     */
    public record Secrets(
            String superPeers,
            String storagePeers,
            String operator,
            @Nullable String monitor) {}

    /** Whether the operator issues the certificates. */
    public boolean issued() {
        return secrets == null;
    }

    /**
     * Returns the plan that a resource asks for.
     *
     * @return {@code null} when there is to be no TLS
     * @throws InvalidSpecException when it asks for something impossible
     */
    static @Nullable TlsPlan of(@Nullable TlsSpec spec, Granary granary) {
        if (spec == null || !Boolean.TRUE.equals(spec.enabled())) {
            return null;
        }
        Map<String, String> annotations = granary.getMetadata().getAnnotations();
        List<String> names = spec.names() == null ? List.of() : spec.names();
        for (String name : names) {
            if (!NAME.matcher(name).matches()) {
                throw new InvalidSpecException(
                        "tls.names has " + name + ", which is neither the name of a host nor an address");
            }
        }
        String clients = spec.clientAuthentication();
        String redisClients = spec.redisClientAuthentication();
        int certificateDays = within("tls.certificateDays", spec.certificateDays(), TlsSpec.CERTIFICATE_DAYS, 1, 825);
        int authorityDays = within("tls.caDays", spec.caDays(), TlsSpec.CA_DAYS, TlsSpec.CA_TIMES, 36_500);
        if (authorityDays < TlsSpec.CA_TIMES * certificateDays) {
            throw new InvalidSpecException(TlsSpec.CA_LASTS);
        }
        if (spec.secrets() != null && spec.revokedSerials() != null) {
            throw new InvalidSpecException(TlsSpec.OWN_CA);
        }
        return new TlsPlan(
                clients == null
                        ? TlsSpec.CLIENT_AUTHENTICATION.getFirst()
                        : Planner.oneOf("tls.clientAuthentication", clients, TlsSpec.CLIENT_AUTHENTICATION),
                Boolean.TRUE.equals(spec.http()),
                !Boolean.FALSE.equals(spec.redis()),
                redisClients == null
                        ? null
                        : Planner.oneOf("tls.redisClientAuthentication", redisClients, TlsSpec.CLIENT_AUTHENTICATION),
                names,
                secrets(spec.secrets()),
                certificateDays,
                authorityDays,
                within("tls.graceMinutes", spec.graceMinutes(), TlsSpec.GRACE_MINUTES, 0, 100_000),
                revoked(spec.revokedSerials()),
                annotations == null ? null : annotations.get(Names.RENEW_CERTIFICATES_ANNOTATION),
                annotations == null ? null : annotations.get(Names.RENEW_CA_ANNOTATION));
    }

    private static Set<BigInteger> revoked(@Nullable List<String> serials) {
        Set<BigInteger> numbers = new HashSet<>();
        for (String serial : serials == null ? List.<String>of() : serials) {
            if (!SERIAL.matcher(serial).matches()) {
                throw new InvalidSpecException("tls.revokedSerials has " + serial
                        + ", which is no serial number in hexadecimal digits, as 'openssl x509 -serial' tells it");
            }
            numbers.add(new BigInteger(serial.replace(":", ""), 16));
        }
        return numbers;
    }

    private static @Nullable Secrets secrets(@Nullable TlsSecretsSpec spec) {
        return spec == null
                ? null
                : new Secrets(
                        spec.superPeers().name(),
                        spec.storagePeers().name(),
                        spec.operator().name(),
                        spec.monitor() == null ? null : spec.monitor().name());
    }

    private static int within(String field, @Nullable Integer asked, int usual, int min, int max) {
        int value = asked == null ? usual : asked;
        if (value < min || value > max) {
            throw new InvalidSpecException(field + " is " + value + ", but must be from " + min + " to " + max);
        }
        return value;
    }
}
