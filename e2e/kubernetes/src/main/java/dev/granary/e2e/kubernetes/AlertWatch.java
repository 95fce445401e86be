package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.prometheus.AlertHistory;
import dev.granary.e2e.kubernetes.prometheus.AlertHistory.Firing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A Prometheus of the case alerts, with the shortened rules, and a thread that notes what fires. Close ends both. */
final class AlertWatch implements AutoCloseable {

    private static final Duration LOOK_PAUSE = Duration.ofMillis(500);
    private static final int SCRAPE_SECONDS = 2;
    private static final int SERIES_SHOWN = 8;
    private static final int LOG_LINES = 5;

    private final Target target;
    private final PrometheusServer server;
    private final Thread follower;
    private final Thread watcher;
    private final AlertHistory history = new AlertHistory();

    private AlertWatch(Target target, PrometheusServer server) {
        this.target = target;
        this.server = server;
        this.follower = new ScrapedPods(target).follow(server);
        this.watcher = Thread.ofPlatform().daemon().name("alerts").unstarted(this::watch);
    }

    /** Starts both; the folder takes data and logs. */
    static AlertWatch start(Target target, Path folder, String rules) throws Exception {
        AlertWatch started = new AlertWatch(target, PrometheusServer.start(target, folder, rules, SCRAPE_SECONDS));
        started.watcher.start();
        return started;
    }

    AlertHistory history() {
        return history;
    }

    private void watch() {
        try {
            while (true) {
                try {
                    history.observe(Instant.now(), firing());
                } catch (IOException e) {
                    System.out.println("Prometheus did not tell its alerts: " + e);
                }
                Thread.sleep(LOOK_PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Set<Firing> firing() throws IOException, InterruptedException {
        Set<Firing> firing = new HashSet<>();
        for (JsonNode alert : server.alerts()) {
            if ("firing".equals(alert.path("state").asText())) {
                firing.add(new Firing(alert.at("/labels/alertname").asText(), labels(alert.path("labels"))));
            }
        }
        return firing;
    }

    private static Map<String, String> labels(JsonNode labels) {
        Map<String, String> texts = new TreeMap<>();
        labels.properties()
                .forEach(label -> texts.put(label.getKey(), label.getValue().asText()));
        return texts;
    }

    /** Says how far an alert is from firing: its state, and what the parts of its expression evaluate to. */
    String explain(String alert, String expression) throws Exception {
        StringBuilder text = new StringBuilder();
        for (JsonNode active : server.alerts()) {
            if (alert.equals(active.at("/labels/alertname").asText())) {
                text.append("  %s since %s: %s%n"
                        .formatted(
                                active.path("state").asText(),
                                active.path("activeAt").asText(),
                                active.path("labels")));
            }
        }
        text.append("  expression: ").append(expression).append('\n');
        for (String part : AlertRules.parts(expression)) {
            text.append("  ").append(part).append('\n');
            text.append(shown(server.query(part)));
        }
        return text.toString();
    }

    /** Returns the values and labels of the first series of an answer, and how many more it has. */
    static String shown(JsonNode series) {
        if (series.isEmpty()) {
            return "    no series\n";
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(series.size(), SERIES_SHOWN); i++) {
            text.append("    ").append(series.get(i).at("/value/1").asText());
            text.append(" of ").append(series.get(i).path("metric")).append('\n');
        }
        if (series.size() > SERIES_SHOWN) {
            text.append("    and ").append(series.size() - SERIES_SHOWN).append(" more\n");
        }
        return text.toString();
    }

    /** Returns targets that cannot be scraped, the pods, and the last lines of their logs. */
    String surroundings() throws Exception {
        StringBuilder text = new StringBuilder();
        for (JsonNode one : server.activeTargets()) {
            if (!"up".equals(one.path("health").asText())) {
                text.append("  not scraped: %s: %s%n"
                        .formatted(
                                one.at("/labels/pod").asText(),
                                one.path("lastError").asText()));
            }
        }
        for (String namespace : new String[] {Target.OPERATOR_NAMESPACE, Target.NAMESPACE}) {
            text.append(target.kubectl()
                    .call(null, "get", "pods", "-n", namespace, "-o", "wide")
                    .output()
                    .indent(2));
            String names = target.kubectl()
                    .call(null, "get", "pods", "-n", namespace, "-o", "name")
                    .output();
            for (String pod :
                    names.lines().filter(line -> line.startsWith("pod/")).toList()) {
                text.append("  last lines of ").append(pod).append('\n');
                text.append(target.kubectl()
                        .call(null, "logs", pod, "-n", namespace, "--tail=" + LOG_LINES)
                        .output()
                        .indent(4));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        follower.interrupt();
        watcher.interrupt();
        server.close();
    }
}
