package dev.granary.operator.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.Hibernation;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.overlay.HostAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Controls a cluster by the binary protocol. A connection lives only for one call, so an idle cluster costs nothing.
 */
public final class ClientClusterControl implements ClusterControl {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final int port;
    private final ObjectMapper json = new ObjectMapper();

    /**
     * Makes a control.
     *
     * @param port port of every super-peer for clients, at which they tell of each other
     */
    public ClientClusterControl(int port) {
        this.port = port;
    }

    @Override
    public void startDrain(Target cluster, int nid) {
        call(cluster, admin -> admin.startDrain(nid));
    }

    @Override
    public void abortDrain(Target cluster, int nid) {
        call(cluster, admin -> {
            for (DrainView drain : drains(admin)) {
                if (drain.nid() == nid
                        && (drain.state().equals("running") || drain.state().equals("done"))) {
                    admin.abortPlan(
                            nid,
                            Long.parseLong(drain.plan().substring(drain.plan().indexOf('/') + 1)));
                }
            }
            return nid;
        });
    }

    @Override
    public void resizeRing(Target cluster, int size) {
        call(cluster, admin -> {
            admin.resizeRing(size);
            return size;
        });
    }

    @Override
    public List<DrainView> drains(Target cluster) {
        return call(cluster, this::drains);
    }

    @Override
    public SleepView sleep(Target cluster, SleepStep step) {
        Hibernate.Step asked =
                switch (step) {
                    case REFUSE_CHANGES -> Hibernate.Step.REFUSE_CHANGES;
                    case PARK -> Hibernate.Step.PARK;
                    case WORK -> Hibernate.Step.WORK;
                };
        return call(cluster, admin -> {
            Hibernation.Round round = new Hibernation(admin).ask(asked);
            return new SleepView(round.peers(), round.done(), round.dumpBytes(), round.totalBytes(), round.problems());
        });
    }

    private List<DrainView> drains(ClusterAdmin admin) {
        List<DrainView> drains = new ArrayList<>();
        for (String text : admin.plansJson()) {
            for (JsonNode plan : parse(text).path("plans")) {
                if (plan.path("kind").asText().equals("drain")) {
                    drains.add(drain(plan));
                }
            }
        }
        return drains;
    }

    private static DrainView drain(JsonNode plan) {
        TreeSet<String> destinations = new TreeSet<>();
        plan.path("list").forEach(move -> destinations.add(move.path("target").asText()));
        return new DrainView(
                plan.path("plan").asText(),
                Integer.decode(plan.path("nid").asText()),
                plan.path("state").asText(),
                plan.path("note").asText(),
                plan.path("bytes").asLong(),
                plan.path("bytesDone").asLong(),
                List.copyOf(destinations));
    }

    private JsonNode parse(String text) {
        try {
            return json.readTree(text);
        } catch (JsonProcessingException e) {
            throw new GranaryException("the plans of the super-peers are not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private <T> T call(Target cluster, Function<ClusterAdmin, T> work) {
        List<String> addresses = cluster.hosts().stream()
                .map(host -> new HostAddress(host, port).toString())
                .toList();
        if (addresses.isEmpty()) {
            throw new ControlException(
                    "no super-peer has an address yet", false, new IllegalStateException("no seeds"));
        }
        try (ClusterAdmin admin = ClusterAdmin.connect(ClientOptions.builder()
                .addresses(addresses)
                .adminPort(cluster.adminPort())
                .deadline(DEADLINE)
                .clusterSecret(cluster.secret())
                .tlsText(cluster.tls())
                .build())) {
            return work.apply(admin);
        } catch (InvalidRequestException e) {
            throw new ControlException(String.valueOf(e.getMessage()), true, e);
        } catch (GranaryException e) {
            throw new ControlException(String.valueOf(e.getMessage()), false, e);
        }
    }
}
