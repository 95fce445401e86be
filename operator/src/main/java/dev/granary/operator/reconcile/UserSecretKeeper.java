package dev.granary.operator.reconcile;

import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.build.UserSecrets;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.user.CollectedUsers;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the Secret with the users of a cluster's doors (ADR 0337). It is read before each change and is not watched, so
 * the operator needs no right to list Secrets. Thread-safe: one change at a time, whatever cluster it is of.
 *
 * <p>Invariant: each write of the Secret leaves out the users of resources that are no more.
 */
public final class UserSecretKeeper {
    private final KubernetesClient client;
    private final InstantSource clock;
    private final PodNudge nudge;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * The cluster of the users.
     *
     * @param uid of the Granary
     */
    public record Cluster(String namespace, String name, String uid) {}

    /** Makes a keeper. */
    public UserSecretKeeper(KubernetesClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
        this.nudge = new PodNudge(client);
    }

    /**
     * Makes the Secret when there is none, and takes users out that are no more: pods do not start without it, and what
     * was deleted while no operator ran has told nobody.
     *
     * @throws NameTakenException when the Secret belongs to someone else
     */
    void keep(ClusterPlan plan) {
        if (plan.redis() == null || !plan.redis().managedUsers()) {
            return;
        }
        Cluster cluster = new Cluster(plan.namespace(), plan.name(), plan.uid());
        change(cluster, Set::of, users -> users);
    }

    /** Returns the users of a cluster as the API server has them. */
    List<GranaryUser> list(Cluster cluster) {
        return client.resources(GranaryUser.class).inNamespace(cluster.namespace()).list().getItems().stream()
                .filter(user -> UserReconciler.isOf(user, cluster.name()))
                .toList();
    }

    private Set<String> uids(Cluster cluster) {
        return list(cluster).stream().map(user -> user.getMetadata().getUid()).collect(Collectors.toSet());
    }

    /** Returns the users in the Secret; none when there is no Secret. */
    CollectedUsers read(Cluster cluster) {
        Secret found = own(cluster);
        return found == null ? CollectedUsers.NONE : users(found);
    }

    /**
     * Changes the users, and takes out those of resources that are no more.
     *
     * @param seen the uids of the resources that a watch shows. It is no more than a hint: a watch that is stopped
     *     forgets all, so the API server is asked before anything is taken out
     * @throws NameTakenException when the Secret belongs to someone else
     */
    public void change(Cluster cluster, Supplier<Set<String>> seen, UnaryOperator<CollectedUsers> change) {
        lock.lock();
        try {
            Secret found = own(cluster);
            CollectedUsers before = found == null ? CollectedUsers.NONE : users(found);
            CollectedUsers kept = before.areOf(seen.get()) ? before : before.only(uids(cluster));
            String text = change.apply(kept).text();
            if (found != null && text.equals(UserSecrets.textOf(found))) {
                return;
            }
            Secret wanted = UserSecrets.of(cluster.namespace(), cluster.name(), cluster.uid(), text);
            if (found == null) {
                client.resource(wanted).create();
                return;
            }
            // Unless somebody has changed it since it was read.
            wanted.getMetadata().setResourceVersion(found.getMetadata().getResourceVersion());
            client.resource(wanted).update();
        } finally {
            lock.unlock();
        }
        for (String component : List.of(Names.STORAGE, Names.SUPER_PEER)) {
            nudge.tellOfUsers(
                    cluster.namespace(),
                    cluster.name(),
                    component,
                    clock.instant().toString());
        }
    }

    private static CollectedUsers users(Secret secret) {
        String text = UserSecrets.textOf(secret);
        return text == null ? CollectedUsers.NONE : CollectedUsers.parse(text);
    }

    private @Nullable Secret own(Cluster cluster) {
        Secret wanted = UserSecrets.of(cluster.namespace(), cluster.name(), cluster.uid(), "");
        Secret found = client.resource(wanted).get();
        if (found != null && !Applier.isOwnedBy(found, cluster.uid())) {
            throw NameTakenException.of(wanted);
        }
        return found;
    }
}
