package dev.granary.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsPlanTest {

    private static Existing existing(@Nullable Boolean tls) {
        return new Existing(
                Existing.Role.NOTHING,
                Existing.Role.NOTHING,
                null,
                Existing.Devices.UNKNOWN,
                null,
                false,
                null,
                false,
                tls);
    }

    @Test
    void plan_resourceThatDoesNotSay_hasNoTls() {
        assertThat(Samples.plan("{}").tls()).isNull();
        assertThat(Samples.plan("{tls: {}}").tls()).isNull();
        assertThat(Samples.plan("{tls: {enabled: false}}").tls()).isNull();
    }

    @Test
    void plan_enabledAlone_hasTheDefaults() {
        assertThat(Samples.plan("{tls: {enabled: true}}").tls())
                .isEqualTo(new TlsPlan(
                        "required", false, true, null, List.of(), null, 90, 1825, 10, Set.of(), null, null));
    }

    @Test
    void plan_everything_isTaken() {
        Granary granary = Samples.granary("social", """
                {tls: {enabled: true, http: true, clientAuthentication: none, redis: false, redisClientAuthentication: optional,
                  names: [redis.example.org], certificateDays: 7, caDays: 30, graceMinutes: 0,
                  secrets: {superPeers: {name: a}, storagePeers: {name: b}, operator: {name: c},
                            monitor: {name: d}}}}
                """);
        granary.getMetadata()
                .setAnnotations(Map.of("granary.dev/renew-ca", "1", "granary.dev/renew-certificates", "2"));
        TlsPlan plan = Objects.requireNonNull(
                new Planner(Samples.DEFAULTS).plan(granary, Existing.NOTHING).tls());
        assertThat(plan)
                .isEqualTo(new TlsPlan(
                        "none",
                        true,
                        false,
                        "optional",
                        List.of("redis.example.org"),
                        new TlsPlan.Secrets("a", "b", "c", "d"),
                        7,
                        30,
                        0,
                        Set.of(),
                        "2",
                        "1"));
        assertThat(plan.issued()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            clientAuthentication: sometimes      | tls.clientAuthentication is sometimes, but must be required, optional or none
            redisClientAuthentication: sometimes | tls.redisClientAuthentication is sometimes
            names: ["a b"]                       | tls.names has a b
            certificateDays: 0                   | tls.certificateDays is 0
            caDays: 359                          | tls.caDays must be at least four times tls.certificateDays
            graceMinutes: -1                     | tls.graceMinutes is -1
            revokedSerials: ["0x12"]             | tls.revokedSerials has 0x12
            'secrets: {superPeers: {name: a}, storagePeers: {name: b}, operator: {name: c}}, revokedSerials: ["1f"]' | crl.pem
            """)
    void plan_wrongTls_isRefusedWithTheField(String tls, String message) {
        assertThatThrownBy(() -> Samples.plan("{tls: {enabled: true, " + tls + "}}"))
                .isInstanceOf(InvalidSpecException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(nullValues = "none", textBlock = """
            # has, asked, taken
            none,  true,  true
            none,  false, true
            true,  true,  true
            false, false, true
            true,  false, false
            false, true,  false
            """)
    void plan_podsRun_keepTheirTls(@Nullable Boolean has, boolean asked, boolean taken) {
        String spec = "{tls: {enabled: " + asked + "}}";
        if (taken) {
            assertThat(Samples.plan(spec, existing(has)).tls() != null).isEqualTo(asked);
        } else {
            assertThatThrownBy(() -> Samples.plan(spec, existing(has)))
                    .isInstanceOf(InvalidSpecException.class)
                    .hasMessageContainingAll("tls.enabled cannot become " + asked, "hibernate");
        }
    }

    @Test
    void plan_doorWithTls_announcesTheNameThatTheCertificateHas() {
        assertThat(host("{redis: {enabled: true}, tls: {enabled: true}}")).isEqualTo("{hostname}");
        assertThat(host("{redis: {enabled: true}, tls: {enabled: true, redis: false}}"))
                .isEqualTo("{address}");
        assertThat(host("{redis: {enabled: true, announce: {host: \"{pod}\"}}, tls: {enabled: true}}"))
                .isEqualTo("{pod}");
    }

    private static String host(String spec) {
        return Objects.requireNonNull(Samples.plan(spec).redis()).door().host();
    }

    @Test
    void plan_revokedSerials_areNumbersWithColonsOrWithout() {
        String spec = "{tls: {enabled: true, revokedSerials: [\"0A1b\", \"0a:1B\", \"ff\"]}}";
        assertThat(Objects.requireNonNull(Samples.plan(spec).tls()).revoked())
                .containsExactlyInAnyOrder(BigInteger.valueOf(0x0a1b), BigInteger.valueOf(0xff));
    }
}
