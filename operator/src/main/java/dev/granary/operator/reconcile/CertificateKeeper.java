package dev.granary.operator.reconcile;

import dev.granary.client.ClientTlsText;
import dev.granary.operator.api.GranaryStatus.TlsStatus;
import dev.granary.operator.build.TlsSecrets;
import dev.granary.operator.build.TlsVolume;
import dev.granary.operator.certificate.Authorities;
import dev.granary.operator.certificate.AuthoritySteps;
import dev.granary.operator.certificate.Certificates;
import dev.granary.operator.certificate.Identity;
import dev.granary.operator.certificate.Role;
import dev.granary.operator.certificate.Taken;
import dev.granary.operator.observe.CertificateObserver;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.TlsPlan;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the Secrets with the CA and the certificates of clusters: makes them, renews them, changes the CA step by step
 * (ADR 0335). Secrets are not watched, so that the operator needs no right to list them. It looks at those of a cluster
 * every ten minutes, each minute where somebody else issues, and at each reconcile while the CA changes. Thread-safe;
 * one thread at a time for a resource.
 *
 * <p>Invariant: what the Secrets of roles have follows from the Secret of the CA, which is written first. So an
 * operator that ends between two writes goes on where it was.
 */
final class CertificateKeeper {
    private static final Duration KEPT = Duration.ofMinutes(10);
    private static final Duration KEPT_OF_OTHERS = Duration.ofMinutes(1);

    /** What stands for a step of a change where the operator issues nothing. */
    private static final String EXTERNAL = "External";

    private final KubernetesClient client;
    private final CertificateObserver observer;
    private final InstantSource clock;
    private final AuthoritySteps steps;
    private final Certificates certificates;
    private final PodNudge nudge;
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();

    /**
     * What was last made of a cluster, or found.
     *
     * @param plan from which it was made
     * @param until until when nothing is to be done
     */
    private record Kept(TlsPlan plan, ClientTlsText credentials, TlsStatus status, Instant until) {}

    CertificateKeeper(KubernetesClient client, CertificateObserver observer, SecureRandom random, InstantSource clock) {
        this.client = client;
        this.observer = observer;
        this.clock = clock;
        this.steps = new AuthoritySteps(random);
        this.certificates = new Certificates(random);
        this.nudge = new PodNudge(client);
    }

    /**
     * Makes and renews what the plan asks for.
     *
     * @return with what the operator administers the cluster, {@code null} without TLS
     * @throws NameTakenException when a Secret belongs to someone else
     * @throws InvalidSpecException when a Secret that others keep is missing, or has no certificate
     */
    @Nullable
    ClientTlsText keep(ClusterPlan plan, PodsView superPeers, PodsView storage) {
        TlsPlan tls = plan.tls();
        if (tls == null) {
            kept.remove(plan.uid());
            return null;
        }
        Kept last = kept.get(plan.uid());
        if (last != null && rests(last, tls)) {
            return last.credentials();
        }
        Instant now = clock.instant();
        Kept made = tls.issued() ? issue(plan, tls, superPeers, storage, now) : ofOthers(plan, tls, now);
        // Forgets the resources that have ended.
        kept.values().removeIf(old -> old.until().plus(KEPT).isBefore(now));
        kept.put(plan.uid(), made);
        return made.credentials();
    }

    /** Whether there is nothing to make or to look at now. */
    boolean rests(ClusterPlan plan) {
        TlsPlan tls = plan.tls();
        Kept last = kept.get(plan.uid());
        return tls == null ? last == null : last != null && rests(last, tls);
    }

    private boolean rests(Kept last, TlsPlan tls) {
        return last.plan().equals(tls) && clock.instant().isBefore(last.until());
    }

    /** Returns what is known of a cluster's certificates, {@code null} for nothing. */
    @Nullable
    TlsStatus status(ClusterPlan plan) {
        Kept last = plan.tls() == null ? null : kept.get(plan.uid());
        return last == null ? null : last.status();
    }

    /**
     * Returns with what the operator proves itself to a cluster that runs, {@code null} when there is nothing yet. It
     * may be older than what {@link #keep} returns next.
     */
    @Nullable
    ClientTlsText known(ClusterPlan plan) {
        TlsPlan tls = plan.tls();
        if (tls == null) {
            return null;
        }
        Kept last = kept.get(plan.uid());
        if (last != null) {
            return last.credentials();
        }
        String name = TlsVolume.secret(plan.name(), tls, Role.OPERATOR);
        Map<String, String> texts = TlsSecrets.texts(
                client.secrets().inNamespace(plan.namespace()).withName(name).get());
        return texts.keySet().containsAll(List.of(Certificates.CA, Certificates.CERTIFICATE, Certificates.KEY))
                ? credentials(texts)
                : null;
    }

    private Kept ofOthers(ClusterPlan plan, TlsPlan tls, Instant now) {
        String name = TlsVolume.secret(plan.name(), tls, Role.OPERATOR);
        Map<String, String> texts = TlsSecrets.texts(
                client.secrets().inNamespace(plan.namespace()).withName(name).get());
        X509Certificate certificate = Certificates.certificate(texts);
        if (certificate == null || !texts.containsKey(Certificates.KEY) || !texts.containsKey(Certificates.CA)) {
            throw new InvalidSpecException(
                    "tls.secrets.operator names the Secret " + name
                            + ", which does not exist, or lacks a certificate in tls.crt, its key in tls.key or its CA in ca.crt");
        }
        TlsStatus status = Certificates.isLate(certificate, now)
                ? status(
                        TlsStatus.EXPIRES_SOON,
                        certificate,
                        "renew the certificates: that of the operator has not much time left")
                : status(EXTERNAL, certificate, "somebody else issues the certificates and renews them");
        return new Kept(tls, credentials(texts), status, now.plus(KEPT_OF_OTHERS));
    }

    private static TlsStatus status(String step, X509Certificate certificate, String message) {
        return new TlsStatus(step, null, certificate.getNotAfter().toInstant().toString(), message);
    }

    private Kept issue(ClusterPlan plan, TlsPlan tls, PodsView superPeers, PodsView storage, Instant now) {
        Secret wanted = TlsSecrets.authority(plan, Map.of());
        Secret found = own(wanted, plan);
        String cluster = Identity.clusterName(plan.namespace(), plan.name());
        Authorities before = found == null ? null : authorities(found);
        Taken taken = before == null || before.step() == Authorities.Step.STEADY
                ? new Taken(List.of())
                : taken(superPeers, storage, known(plan));
        Authorities after =
                before == null ? steps.first(cluster, tls, now) : steps.next(before, cluster, tls, taken, now);
        if (!after.equals(before)) {
            write(found, TlsSecrets.authority(plan, after.toTexts()));
        }
        Map<Role, Map<String, String>> contents = new EnumMap<>(Role.class);
        contents.put(Role.SUPER_PEER, certificate(plan, tls, Role.SUPER_PEER, after, superPeers, now));
        contents.put(Role.STORAGE, certificate(plan, tls, Role.STORAGE, after, storage, now));
        contents.put(Role.CLIENT, certificate(plan, tls, Role.CLIENT, after, PodsView.NONE, now));
        if (tls.http()) {
            contents.put(Role.MONITOR, certificate(plan, tls, Role.MONITOR, after, PodsView.NONE, now));
        }
        Map<String, String> own = certificate(plan, tls, Role.OPERATOR, after, PodsView.NONE, now);
        contents.put(Role.OPERATOR, own);
        return new Kept(
                tls,
                credentials(own),
                status(after, contents, taken, now, tls),
                after.step() == Authorities.Step.STEADY ? now.plus(KEPT) : now);
    }

    private Authorities authorities(Secret found) {
        try {
            return Authorities.of(TlsSecrets.texts(found));
        } catch (IllegalArgumentException e) {
            // To make another one would cut off all that trust the present one.
            throw new InvalidSpecException("Secret " + found.getMetadata().getName()
                    + " has no CA that can be read (" + e.getMessage()
                    + "). Restore it; or delete it, and the pods after it, to begin with another CA");
        }
    }

    /**
     * Makes or renews the Secret of a role, and returns its content.
     *
     * @param pods those that have it
     */
    private Map<String, String> certificate(
            ClusterPlan plan, TlsPlan tls, Role role, Authorities authorities, PodsView pods, Instant now) {
        Secret found = own(TlsSecrets.certificate(plan, role, Map.of()), plan);
        Map<String, String> present = TlsSecrets.texts(found);
        Identity identity = Identity.of(plan.namespace(), plan.name(), role, tls.names());
        Map<String, String> content = certificates.renewed(present, authorities, identity, tls, now);
        if (!content.equals(present)) {
            write(found, TlsSecrets.certificate(plan, role, content));
            nudge.tell(plan.namespace(), pods, now.toString());
        }
        return content;
    }

    /** Returns the Secret of this name, {@code null} when there is none. */
    private @Nullable Secret own(Secret wanted, ClusterPlan plan) {
        Secret found = client.resource(wanted).get();
        if (found != null && !Applier.isOwnedBy(found, plan.uid())) {
            throw NameTakenException.of(wanted);
        }
        return found;
    }

    /** Writes a Secret unless somebody has changed it since it was read; then the API server refuses the write. */
    private void write(@Nullable Secret found, Secret wanted) {
        if (found == null) {
            client.resource(wanted).create();
            return;
        }
        wanted.getMetadata().setResourceVersion(found.getMetadata().getResourceVersion());
        client.resource(wanted).update();
    }

    private Taken taken(PodsView superPeers, PodsView storage, @Nullable ClientTlsText tls) {
        List<Taken.Answer> processes = new ArrayList<>();
        for (PodsView pods : List.of(superPeers, storage)) {
            if (pods.addresses().size() < pods.existing()) {
                return new Taken(List.of(new Taken.Answer("a pod without an address", null, List.of())));
            }
        }
        if (askAll(superPeers, Names.SUPER_PEER_HTTP_PORT, tls, processes)) {
            askAll(storage, Names.STORAGE_HTTP_PORT, tls, processes);
        }
        return new Taken(processes);
    }

    /** Asks up to the first that does not answer: it holds the change up, and each one more would take two seconds. */
    private boolean askAll(PodsView pods, int port, @Nullable ClientTlsText tls, List<Taken.Answer> answers) {
        for (String host : pods.addresses()) {
            Taken.Answer answer = observer.ask(host, port, pods.secured().contains(host) ? tls : null);
            answers.add(answer);
            if (answer.shown() == null) {
                return false;
            }
        }
        return true;
    }

    private static ClientTlsText credentials(Map<String, String> texts) {
        return new ClientTlsText(
                Objects.requireNonNull(texts.get(Certificates.CA)),
                Objects.requireNonNull(texts.get(Certificates.CERTIFICATE)),
                Objects.requireNonNull(texts.get(Certificates.KEY)));
    }

    private static TlsStatus status(
            Authorities authorities, Map<Role, Map<String, String>> contents, Taken taken, Instant now, TlsPlan plan) {
        Instant soonest = contents.values().stream()
                .map(Certificates::certificate)
                .flatMap(Stream::ofNullable)
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElseThrow();
        return new TlsStatus(
                authorities.step().text(),
                authorities.issuing().certificate().getNotAfter().toInstant().toString(),
                soonest.toString(),
                message(authorities, taken, now, plan));
    }

    private static String message(Authorities authorities, Taken taken, Instant now, TlsPlan plan) {
        if (authorities.step() == Authorities.Step.STEADY) {
            return "the operator renews the certificates in time";
        }
        Instant next = authorities.since().plus(Duration.ofMinutes(plan.graceMinutes()));
        String what = authorities.step() == Authorities.Step.TRUSTING
                ? "the CA changes: a new one is trusted beside the present one"
                : "the CA changes: the new one issues, the former one is still trusted";
        return Stream.concat(
                        Stream.of(what),
                        Stream.concat(
                                taken.waitingFor(authorities).stream(),
                                now.isBefore(next)
                                        ? Stream.of("clients have until " + next + " to get the new ca.crt")
                                        : Stream.empty()))
                .reduce((a, b) -> a + "; " + b)
                .orElseThrow();
    }
}
