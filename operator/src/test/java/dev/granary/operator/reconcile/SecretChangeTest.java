package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.build.StatefulSets;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.status.Observation;
import dev.granary.operator.status.StatusBuilder;
import dev.granary.operator.steer.Action;
import dev.granary.operator.steer.Steering;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole changes of a secret, in which the operator ends between any two writes, people wish for more changes, pods with
 * a new template do not start, and StatefulSets and the status are lost. After each step any two pods must know each
 * other, and know who administers.
 */
class SecretChangeTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
    private static final int PODS = 3;
    private static final int WISHES = 3;
    private static final int MOST_ROUNDS = 2_000;

    /** A pod: its template, and what was in the Secret when it was made. */
    private record PlayedPod(PodTemplateSpec template, String file, boolean starts) {}

    private final PlayedSecrets secrets = new PlayedSecrets();
    private final Map<String, PlayedPod> pods = new TreeMap<>();
    private final Map<String, StatefulSet> sets = new TreeMap<>();
    private final Set<String> drained = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private final Granary granary = Samples.granary("social", "{superPeers: {min: 3}}");
    private SplittableRandom random = new SplittableRandom();
    private boolean spoilt;

    /** Four seeds, and twenty in the long form, which has {@code -Dgranary.simulation.seeds=5}. */
    static LongStream seeds() {
        return LongStream.rangeClosed(1, 4L * Integer.getInteger("granary.simulation.seeds", 1));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void change_everythingGoesWrong_anyTwoKnowEachOtherAndTheSecretIsAnotherInTheEnd(long seed) throws IOException {
        random = new SplittableRandom(seed);
        granary.getMetadata().setAnnotations(new TreeMap<>());
        try (PlayedApi api = new PlayedApi(secrets)) {
            SecretKeeper keeper = new SecretKeeper(api.client(), random.split());
            round(keeper);
            assertThat(secrets.texts()).containsOnlyKeys("social-granary");
            String first = secrets.texts().get("social-granary");
            int wishes = 0;
            for (int i = 0; i < MOST_ROUNDS && (wishes < WISHES || isChanging()); i++) {
                if (wishes < WISHES && random.nextInt(15) == 0) {
                    annotate(Names.CHANGE_SECRET_ANNOTATION, "wish " + wishes++);
                }
                makeTrouble();
                round(keeper);
                seen.addAll(secrets.texts().keySet());
            }
            round(keeper);
            assertEnded(first);
        }
    }

    private void assertEnded(@Nullable String first) {
        assertThat(isChanging()).isFalse();
        SecretPlan secret = Objects.requireNonNull(plan().secret());
        assertThat(secret.number()).isBetween(1, WISHES);
        String nodes = "social-granary-nodes-" + secret.file();
        assertThat(secrets.texts()).containsOnlyKeys("social-granary", nodes);
        assertThat(secrets.texts().get(nodes)).hasLineCount(1).isNotEqualTo(first);
        assertThat(secrets.texts().get("social-granary"))
                .isEqualTo(secrets.texts().get(nodes));
        assertThat(pods.values())
                .extracting(PlayedPod::file)
                .containsOnly(secrets.texts().get(nodes));
        assertThat(seen).contains("social-granary-nodes-1", "social-granary-nodes-2", "social-granary-nodes-3");
        GranaryStatus.SecretStatus status =
                Objects.requireNonNull(granary.getStatus().secret());
        assertThat(status.phase()).isEqualTo("Steady");
        assertThat(status.nodesName()).isEqualTo(nodes);
    }

    private boolean isChanging() {
        return Objects.requireNonNull(plan().secret()).isChanging()
                || granary.getStatus() == null
                || !Objects.requireNonNull(granary.getStatus().secret()).phase().equals("Steady");
    }

    private void annotate(String name, String value) {
        granary.getMetadata().getAnnotations().put(name, value);
    }

    /** One of the things that may go wrong, now and then. */
    private void makeTrouble() {
        switch (random.nextInt(20)) {
            case 0 -> secrets.failAfter(random.nextInt(3));
            case 1 -> spoilt = true;
            case 2 -> granary.setStatus(null);
            case 3 -> sets.remove(random.nextBoolean() ? Names.SUPER_PEER : Names.STORAGE);
            case 4 -> restart("social-storage-" + random.nextInt(PODS), Names.STORAGE);
            case 5 -> heal();
            default -> {}
        }
    }

    /** What kept pods from starting has passed; without a template to go back to there is no other way. */
    private void heal() {
        pods.replaceAll((name, pod) -> new PlayedPod(pod.template(), pod.file(), true));
    }

    private ClusterPlan plan() {
        Existing existing = ExistingOf.of(
                granary,
                sets.get(Names.SUPER_PEER),
                sets.get(Names.STORAGE),
                Existing.Devices.UNKNOWN,
                component -> PODS);
        return new Planner(Samples.DEFAULTS).plan(granary, existing);
    }

    /** What the operator does at one reconcile, and what follows from it; it may end anywhere. */
    private void round(SecretKeeper keeper) {
        Steering.Result result =
                Steering.decide(plan(), view(Names.SUPER_PEER), view(Names.STORAGE), new Answer.Seen(cluster()), NOW);
        ClusterPlan plan = result.plan();
        String own;
        try {
            own = Objects.requireNonNull(keeper.keep(plan, granary.getStatus()));
        } catch (KubernetesClientException failed) {
            return;
        }
        assertKnown("the operator", own);
        assertKnown("an administrator", Objects.requireNonNull(secrets.texts().get("social-granary")));
        if (random.nextInt(10) == 0) {
            return;
        }
        sets.put(Names.SUPER_PEER, StatefulSets.superPeers(plan));
        if (random.nextInt(10) == 0) {
            return;
        }
        sets.put(Names.STORAGE, StatefulSets.storage(plan));
        for (int i = 0; i < PODS; i++) {
            start("social-super-peer-" + i, Names.SUPER_PEER);
            start("social-storage-" + i, Names.STORAGE);
        }
        result.actions().forEach(this::act);
        if (random.nextInt(10) > 0) {
            Observation observation = new Observation(
                    view(Names.SUPER_PEER),
                    view(Names.STORAGE),
                    new Answer.Seen(cluster()),
                    result.stops(),
                    List.of(),
                    null,
                    null,
                    null);
            granary.setStatus(StatusBuilder.of(plan, observation, granary.getStatus(), 1, NOW));
        }
        boolean back = plan.superPeers().history().isRolledBack()
                || plan.storage().history().isRolledBack();
        if (back && random.nextInt(4) == 0) {
            annotate(Names.RETRY_ANNOTATION, "try " + random.nextInt());
        }
    }

    private void act(Action action) {
        switch (action) {
            case Action.StartDrain drain -> drained.add(drain.pod());
            case Action.ReplacePod replace -> {
                drained.remove(replace.pod());
                restart(replace.pod(), replace.pod().contains(Names.SUPER_PEER) ? Names.SUPER_PEER : Names.STORAGE);
            }
            default -> {}
        }
    }

    private void restart(String pod, String component) {
        if (sets.containsKey(component)) {
            pods.remove(pod);
            start(pod, component);
        }
    }

    /** Makes a pod as its StatefulSet and a kubelet do; the Secret must be there. */
    private void start(String pod, String component) {
        if (pods.containsKey(pod)) {
            return;
        }
        PodTemplateSpec template =
                Objects.requireNonNull(sets.get(component)).getSpec().getTemplate();
        String file = Objects.requireNonNull(secrets.texts().get(secretOf(template)), secretOf(template));
        pods.put(pod, new PlayedPod(template, file, !spoilt));
        spoilt = false;
        pods.forEach((name, other) -> assertKnown(name, other.file()));
    }

    private static String secretOf(PodTemplateSpec template) {
        return template.getSpec().getVolumes().stream()
                .filter(volume -> Secrets.VOLUME.equals(volume.getName()))
                .map(volume -> volume.getSecret().getSecretName())
                .findFirst()
                .orElseThrow();
    }

    /** A caller proves itself by its first secret, and each pod must accept that. */
    private void assertKnown(String caller, String file) {
        String proof = file.lines().findFirst().orElseThrow();
        pods.forEach((name, pod) ->
                assertThat(pod.file().lines()).as("%s calls %s", caller, name).contains(proof));
    }

    private PodsView view(String component) {
        List<PodView> views = new ArrayList<>();
        StatefulSet set = sets.get(component);
        pods.forEach((name, pod) -> {
            if (name.contains("-" + component + "-")) {
                views.add(view(
                        name,
                        pod,
                        set != null && !pod.template().equals(set.getSpec().getTemplate())));
            }
        });
        return new PodsView(views, List.of(), List.of(), false, set != null);
    }

    private static PodView view(String name, PlayedPod pod, boolean outdated) {
        Instant since = NOW.minusSeconds(1000);
        return new PodView(
                name,
                name.charAt(name.length() - 1) - '0',
                "uid",
                pod.starts(),
                pod.starts() ? since : null,
                pod.starts() ? null : since,
                false,
                outdated,
                null,
                true,
                null,
                pod.starts(),
                pod.starts() ? null : new PodView.Problem("CrashLoopBackOff", false));
    }

    private ClusterView cluster() {
        List<ClusterView.SuperPeer> members = new ArrayList<>();
        List<ClusterView.StoragePeer> peers = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            String nid = "0x000" + (2 * i + 1);
            members.add(new ClusterView.SuperPeer(nid, "social-super-peer-" + i, true, 2, nid));
            String name = "social-storage-" + i;
            PlayedPod pod = pods.get(name);
            boolean live = pod == null || pod.starts();
            peers.add(Samples.storagePeer(i, live ? "live" : "expired", 1, drained.contains(name) ? "done" : "none"));
        }
        ClusterView.Ring ring = new ClusterView.Ring(7, PODS, PODS, true, PODS, true, members, List.of(), null);
        ClusterView.Totals totals = new ClusterView.Totals(PODS, PODS, PODS, 9, 10, 1000, 90, 4096, 1 << 30);
        return new ClusterView("id", ring, peers, totals, Samples.zonesInSync());
    }
}
