package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.build.UserSecrets;
import dev.granary.operator.reconcile.UserMetrics;
import dev.granary.operator.reconcile.UserReconciler;
import dev.granary.operator.reconcile.UserSecretKeeper;
import dev.granary.operator.user.UserLines;
import dev.granary.resp.acl.Passwords;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.Operator;
import io.prometheus.client.CollectorRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GranaryUsers with a real API server: what UserJudge says of them, and what becomes of the file. */
@Tag("api-server")
class UserReconcilerTest {
    private static final Duration PACE = Duration.ofMillis(200);
    private static final String SPEC = "{granaryRef: {name: social}, rules: '~shop:* +@all -@dangerous',"
            + " passwords: [{secretRef: {name: shop-password}}]}";

    private final KubernetesClient client = ApiServer.get().client();
    private final CollectorRegistry registry = new CollectorRegistry();
    private final UserMetrics metrics = new UserMetrics(registry);
    private String namespace = "";
    private @Nullable Operator operator;

    @BeforeEach
    void makeNamespace() {
        namespace = ApiServer.get().namespace("users");
        startOperator();
    }

    private void startOperator() {
        Operator started = new Operator(overrides -> overrides
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withReconciliationTerminationTimeout(Duration.ofSeconds(5)));
        started.register(
                new UserReconciler(
                        client,
                        new UserSecretKeeper(client, InstantSource.system()),
                        metrics,
                        InstantSource.system(),
                        new UserReconciler.Pace(PACE, PACE)),
                overrides -> overrides.settingNamespace(namespace));
        started.start();
        operator = started;
    }

    @AfterEach
    void stopOperator() {
        if (operator != null) {
            operator.stop();
        }
    }

    private void apply(String kind, String name, String spec) {
        GenericKubernetesResource resource =
                Serialization.unmarshal("""
                apiVersion: granary.dev/v1alpha1
                kind: %s
                metadata: {name: %s, namespace: %s}
                spec: %s
                """.formatted(kind, name, namespace, spec), GenericKubernetesResource.class);
        client.resource(resource).forceConflicts().serverSideApply();
    }

    private void password(String name, String key, String value) {
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withStringData(Map.of(key, value))
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    private void makeCluster() {
        apply("Granary", "social", "{redis: {enabled: true, managedUsers: true}}");
        client.resource(Serialization.unmarshal("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: social-storage, namespace: %s}
                spec:
                  serviceName: social-storage
                  selector: {matchLabels: {a: b}}
                  template:
                    metadata: {labels: {a: b}}
                    spec:
                      containers: [{name: main, image: localhost/granary:7}]
                      volumes: [{name: redis-users, secret: {secretName: social-granary-users}}]
                """.formatted(namespace), StatefulSet.class))
                .create();
    }

    private Condition awaitReason(String name, String reason) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> {
                            GranaryUser user = client.resources(GranaryUser.class)
                                    .inNamespace(namespace)
                                    .withName(name)
                                    .get();
                            return user == null
                                            || user.getStatus() == null
                                            || user.getStatus().conditions() == null
                                    ? new Condition()
                                    : user.getStatus().conditions().getFirst();
                        },
                        condition -> reason.equals(condition.getReason()));
    }

    private String file() {
        Secret secret = client.secrets()
                .inNamespace(namespace)
                .withName("social-granary-users")
                .get();
        return secret == null ? "" : Objects.requireNonNull(UserSecrets.textOf(secret));
    }

    private static String lineOf(String file, String user) {
        return file.lines()
                .filter(line -> line.startsWith("user " + user + " "))
                .findFirst()
                .orElse("");
    }

    private static boolean hasPassword(String line, String password) {
        return UserLines.kept(line).stream().anyMatch(key -> Passwords.isOf(key, password));
    }

    private void awaitFile(String part, boolean there) {
        await().atMost(Duration.ofSeconds(30)).until(() -> file().contains(part) == there);
    }

    @Test
    void user_everythingComesOneByOne_reasonsAreToldAndItIsKnown() {
        apply("GranaryUser", "shop", SPEC);
        awaitReason("shop", "GranaryNotFound");
        apply("Granary", "social", "{}");
        awaitReason("shop", "RedisDisabled");
        apply("Granary", "social", "{redis: {enabled: true}}");
        awaitReason("shop", "UsersNotManaged");
        assertThat(file()).isEmpty();
        apply("Granary", "social", "{redis: {enabled: true, managedUsers: true}}");
        awaitReason("shop", "SecretNotFound");
        assertThat(file()).contains("user default off");
        password("shop-password", "other", "open sesame");
        awaitReason("shop", "KeyNotFound");
        password("shop-password", "password", "open sesame\n");
        assertThat(awaitReason("shop", "InvalidPassword").getMessage()).contains("line end");
        password("shop-password", "password", "open sesame");
        awaitReason("shop", "NotRolledOut");
        makeCluster();
        assertThat(awaitReason("shop", "Known").getStatus()).isEqualTo("True");

        String line = lineOf(file(), "shop");
        assertThat(line).startsWith("user shop on $pbkdf2-sha256$").endsWith("~shop:* resetchannels +@all -@dangerous");
        assertThat(hasPassword(line, "open sesame")).isTrue();
        assertThat(file()).doesNotContain("open sesame");
        assertThat(client.v1().events().inNamespace(namespace).list().getItems())
                .anyMatch(event -> event.getReason().equals("SecretNotFound")
                        && event.getType().equals("Warning"));
        assertThat(registry.getSampleValue(
                        "granary_operator_user_condition",
                        new String[] {"namespace", "name", "granary", "type"},
                        new String[] {namespace, "shop", "social", "Ready"}))
                .isEqualTo(1);
    }

    @Test
    void password_secondOneThenFirstGoes_bothHoldMeanwhile() {
        makeCluster();
        password("shop-password", "password", "first");
        password("shop-next", "password", "second");
        apply("GranaryUser", "shop", SPEC);
        awaitReason("shop", "Known");
        List<String> before = UserLines.kept(lineOf(file(), "shop"));
        apply("GranaryUser", "shop", SPEC.replace("}}]", "}}, {secretRef: {name: shop-next}}]"));
        await().atMost(Duration.ofSeconds(30)).until(() -> hasPassword(lineOf(file(), "shop"), "second"));
        assertThat(hasPassword(lineOf(file(), "shop"), "first")).isTrue();
        assertThat(UserLines.kept(lineOf(file(), "shop"))).containsAll(before).hasSize(2);
        apply("GranaryUser", "shop", SPEC.replace("shop-password", "shop-next"));
        await().atMost(Duration.ofSeconds(30)).until(() -> !hasPassword(lineOf(file(), "shop"), "first"));
        assertThat(hasPassword(lineOf(file(), "shop"), "second")).isTrue();

        // The Secret changes, and nothing tells the operator.
        password("shop-next", "password", "third");
        await().atMost(Duration.ofSeconds(30)).until(() -> hasPassword(lineOf(file(), "shop"), "third"));
        assertThat(hasPassword(lineOf(file(), "shop"), "second")).isFalse();
    }

    @Test
    void user_spoiltDisabledAndDeleted_staysIsOffAndIsGone() {
        makeCluster();
        password("shop-password", "password", "open");
        apply("GranaryUser", "shop", SPEC);
        apply("GranaryUser", "jobs", SPEC.replace("granaryRef", "user: Jobs_2, granaryRef"));
        awaitReason("shop", "Known");
        awaitReason("jobs", "Known");
        String good = lineOf(file(), "shop");

        apply("GranaryUser", "shop", SPEC.replace("-@dangerous", "-@dangerus"));
        assertThat(awaitReason("shop", "InvalidRules").getMessage()).contains("-@dangerus", "The user stays as it was");
        assertThat(lineOf(file(), "shop")).isEqualTo(good);
        assertThat(lineOf(file(), "Jobs_2")).contains(" on ");

        apply("GranaryUser", "shop", SPEC.replace("granaryRef", "enabled: false, granaryRef"));
        awaitReason("shop", "Disabled");
        assertThat(lineOf(file(), "shop")).isEqualTo("user shop off resetchannels -@all");

        client.resources(GranaryUser.class)
                .inNamespace(namespace)
                .withName("shop")
                .delete();
        awaitFile("user shop", false);
        client.resources(GranaryUser.class)
                .inNamespace(namespace)
                .withName("jobs")
                .delete();
        awaitFile("Jobs_2", false);
        assertThat(file()).contains("user default off");
    }

    @Test
    void user_deletedWhileNoOperatorRuns_isGoneWithTheNextChange() {
        makeCluster();
        password("shop-password", "password", "open");
        apply("GranaryUser", "shop", SPEC);
        apply("GranaryUser", "jobs", SPEC);
        awaitReason("shop", "Known");
        awaitReason("jobs", "Known");
        stopOperator();
        client.resources(GranaryUser.class)
                .inNamespace(namespace)
                .withName("shop")
                .delete();
        assertThat(file()).contains("user shop");
        String kept = lineOf(file(), "jobs");
        startOperator();
        awaitFile("user shop", false);
        assertThat(lineOf(file(), "jobs")).isEqualTo(kept);
    }

    /** A watch that is stopped forgets what it has shown, while rounds still run. */
    @Test
    void operator_stopsInTheMiddleOfRounds_noUserIsLost() {
        makeCluster();
        password("shop-password", "password", "open");
        for (int i = 0; i < 8; i++) {
            apply("GranaryUser", "user" + i, SPEC);
        }
        for (int i = 0; i < 8; i++) {
            awaitReason("user" + i, "Known");
        }
        String before = file();
        for (int round = 0; round < 5; round++) {
            password("shop-password", "password", "open" + round);
            stopOperator();
            assertThat(file().lines().filter(line -> line.startsWith("user user")))
                    .hasSize(8);
            startOperator();
        }
        assertThat(file()).isNotEqualTo(before);
    }

    @Test
    void names_twoResourcesOfOneUser_olderHasItUntilItGoes() {
        makeCluster();
        password("shop-password", "password", "open");
        password("other-password", "password", "sesame");
        apply("GranaryUser", "b-first", SPEC.replace("granaryRef", "user: shop, granaryRef"));
        awaitReason("b-first", "Known");
        await().pollDelay(Duration.ofMillis(1100)).until(() -> true);
        apply(
                "GranaryUser",
                "a-second",
                SPEC.replace("granaryRef", "user: shop, granaryRef").replace("shop-password", "other-password"));
        assertThat(awaitReason("a-second", "NameTaken").getMessage()).contains("b-first");
        assertThat(hasPassword(lineOf(file(), "shop"), "open")).isTrue();
        client.resources(GranaryUser.class)
                .inNamespace(namespace)
                .withName("b-first")
                .delete();
        awaitReason("a-second", "Known");
        assertThat(hasPassword(lineOf(file(), "shop"), "sesame")).isTrue();
    }

    @Test
    void secretOfSomebodyElse_isLeftAloneAndTold() {
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("social-granary-users")
                        .withNamespace(namespace)
                        .endMetadata()
                        .withStringData(Map.of("users.acl", "mine"))
                        .build())
                .create();
        makeCluster();
        password("shop-password", "password", "open");
        apply("GranaryUser", "shop", SPEC);
        awaitReason("shop", "NameTaken");
        assertThat(file()).isEqualTo("mine");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {granaryRef: {name: social}, rules: '~* +@all'}                                                       | at least one Secret
            {granaryRef: {name: social}, rules: '~* +@all', passwords: []}                                        | at least one Secret
            {granaryRef: {name: social}, enabled: false}                                                          | spec.rules
            {rules: '~* +@all', enabled: false}                                                                   | spec.granaryRef
            {granaryRef: {name: social}, user: 'a b', rules: '~*', enabled: false}                                | spec.user
            {granaryRef: {name: social}, rules: "~* +get\\nuser eve on nopass ~* +@all", enabled: false}          | spec.rules
            """)
    void crd_specThatMakesNoSense_isRefused(String spec, String message) {
        assertThatThrownBy(() -> apply("GranaryUser", "wrong", spec))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(message);
    }

    @Test
    void crd_changeOfTheGranary_isRefused() {
        apply("GranaryUser", "shop", SPEC);
        assertThatThrownBy(() -> apply("GranaryUser", "shop", SPEC.replace("social", "other")))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("granaryRef cannot change");
    }

    @Test
    void crd_usersOfTwoSources_areRefused() {
        assertThatThrownBy(() -> apply(
                        "Granary",
                        "social",
                        "{redis: {enabled: true, managedUsers: true, usersSecretRef: {name: users}}}"))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("exclude each other");
    }
}
