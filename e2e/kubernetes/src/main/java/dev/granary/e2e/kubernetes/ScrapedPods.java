package dev.granary.e2e.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The pods that ask to be scraped: the operator, the super-peers and the storage peers. */
final class ScrapedPods {

    private static final Duration FOLLOW_PAUSE = Duration.ofSeconds(3);

    private final Target target;

    ScrapedPods(Target target) {
        this.target = target;
    }

    List<Pod> list() {
        List<Pod> pods = new ArrayList<>();
        for (String namespace : List.of(Target.OPERATOR_NAMESPACE, Target.NAMESPACE)) {
            for (Pod pod : target.client().pods().inNamespace(namespace).list().getItems()) {
                boolean runs = "Running".equals(pod.getStatus().getPhase());
                if (runs && "true".equals(pod.getMetadata().getAnnotations().get("prometheus.io/scrape"))) {
                    pods.add(pod);
                }
            }
        }
        return pods;
    }

    /** Starts a thread that keeps the pods that a server scrapes those that run, until it is interrupted. */
    Thread follow(PrometheusServer server) {
        return Thread.ofPlatform().daemon().name("scraped-pods").start(() -> {
            try {
                while (true) {
                    Thread.sleep(FOLLOW_PAUSE);
                    try {
                        server.scrape(list());
                    } catch (IOException | KubernetesClientException e) {
                        // The API server is away in some cases. The next round asks again.
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
