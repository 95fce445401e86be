package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.api.GranaryUserSpec;
import dev.granary.operator.api.Reference;
import dev.granary.operator.build.RedisDoor;
import dev.granary.operator.build.UserSecrets;
import dev.granary.operator.reconcile.UserSecretKeeper;
import dev.granary.operator.reconcile.UserSecretKeeper.Cluster;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the reconciler of clusters does for users: pods never start with a door that has none. */
@Tag("api-server")
class ReconcilerUsersTest extends ReconcilerRig {
    private static final String MANAGED = "{redis: {enabled: true, managedUsers: true}}";

    private @Nullable Secret secret() {
        return client.secrets()
                .inNamespace(namespace)
                .withName("social-granary-users")
                .get();
    }

    private String file() {
        Secret secret = secret();
        return secret == null ? "" : Objects.requireNonNull(UserSecrets.textOf(secret));
    }

    private @Nullable StatefulSet storage() {
        return client.apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName("social-storage")
                .get();
    }

    @Test
    void managedUsers_noUsersYet_podsGetADoorThatLetsNobodyIn() {
        create(MANAGED);
        awaiting().until(() -> storage() != null);
        StatefulSet storage = Objects.requireNonNull(storage());
        assertThat(RedisDoor.hasUsers(storage.getSpec().getTemplate().getSpec().getVolumes(), "social-granary-users"))
                .isTrue();
        Secret secret = Objects.requireNonNull(secret());
        assertThat(secret.getMetadata().getOwnerReferences().getFirst().getKind())
                .isEqualTo("Granary");
        assertThat(file()).contains("user default off");
    }

    @Test
    void managedUsers_resourceDeletedWhileNobodyLooked_itsUserGoesAndOthersStay() {
        create(MANAGED);
        awaiting().until(() -> secret() != null);
        GranaryUser user = new GranaryUser();
        user.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName("shop")
                .build());
        user.setSpec(new GranaryUserSpec(new Reference("social"), null, false, null, "~*"));
        String uid = client.resource(user).create().getMetadata().getUid();
        Cluster cluster =
                new Cluster(namespace, "social", current().getMetadata().getUid());
        new UserSecretKeeper(client, clock)
                .change(cluster, () -> Set.of(uid), users -> users.with(uid, "user shop off resetchannels -@all")
                        .with("gone", "user gone off resetchannels -@all"));
        awaiting().until(() -> !file().contains("user gone"));
        assertThat(file()).contains("user shop off");
    }

    @Test
    void managedUsers_switchedOff_secretStaysWithTheGranary() {
        create(MANAGED);
        awaiting().until(() -> storage() != null);
        change("{redis: {enabled: true}}");
        long generation = current().getMetadata().getGeneration();
        awaitStatus(now -> Objects.equals(now.observedGeneration(), generation));
        assertThat(secret()).isNotNull();
    }
}
