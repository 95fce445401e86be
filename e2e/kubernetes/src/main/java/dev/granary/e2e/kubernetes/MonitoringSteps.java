package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import dev.granary.e2e.kubernetes.program.Program;
import dev.granary.e2e.kubernetes.prometheus.DashboardQueries;
import dev.granary.e2e.kubernetes.prometheus.EmptyPanels;
import dev.granary.e2e.kubernetes.prometheus.PromqlSelectors;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Dashboards and alerts with a real Prometheus: every query must find what it asks for. */
final class MonitoringSteps implements AutoCloseable {

    /** Series are recorded every 30 s, and a rate needs two scrapes before that. */
    private static final Duration RECORDED = Duration.ofSeconds(90);

    private static final int SCRAPE_SECONDS = 5;

    /** The program that draws says it before the title of a panel. */
    private static final String NO_DATA = "no data: ";

    /** Alerts about what the cluster does not have at that time: backups, schedules, TLS, users, another image. */
    private static final Set<String> WITHOUT_SERIES = Set.of(
            "GranaryBackupFailed",
            "GranaryBackupTooOld",
            "GranaryCertificateExpiresSoon",
            "GranaryUserNotReady",
            "GranaryImageOutdated");

    /** The longest wait of an alert of the faults that the cases make, and some evaluations. */
    private static final Duration GONE = Duration.ofMinutes(3);

    /**
     * What Prometheus says of its rules.
     *
     * @param states each rule with its state
     * @param wrong rules that cannot be evaluated, and selectors without series
     * @param firing the alerts that fire
     */
    private record Evaluation(List<String> states, List<String> wrong, List<String> firing) {}

    private final Target target;
    private final Path folder;
    private final ScrapedPods scraped;
    /** The thread that cleans up reads it, too. */
    private volatile @Nullable PrometheusServer prometheus;

    private volatile @Nullable Thread follower;

    /** What is closed with this: the steps of other cases start processes, too. */
    private final List<AutoCloseable> others = new CopyOnWriteArrayList<>();

    private JsonNode ruleGroups = Formats.JSON.createArrayNode();

    MonitoringSteps(Target target) {
        this.target = target;
        this.folder = target.options().reportFolder().resolve("prometheus");
        this.scraped = new ScrapedPods(target);
    }

    Step checksRules() {
        return Step.of("promtool accepts the alert rules that the chart renders", () -> {
            String rules = renderedRules();
            Files.createDirectories(folder);
            Path file = folder.resolve("rules.yaml");
            Files.writeString(file, rules);
            return new Program(target.options().promtool(), List.of()).run("check", "rules", file.toString());
        });
    }

    Step startsPrometheus() {
        return Step.of("Prometheus scrapes operator, super-peer and storage peers", () -> {
            PrometheusServer started = PrometheusServer.start(target, folder, renderedRules(), SCRAPE_SECONDS);
            prometheus = started;
            follower = scraped.follow(started);
            return scrapeAll(5) + " targets";
        });
    }

    Step answersDashboards() {
        return Step.of("every query of the dashboards returns data", () -> {
            scrapeAll(7);
            List<DashboardQueries.Query> queries = new DashboardQueries(Map.of(
                            "datasource", "prometheus",
                            "namespace", Target.NAMESPACE,
                            "granary", "social",
                            "pod", ".*",
                            "peer", ".*",
                            "operator", ".*",
                            "__rate_interval", "2m",
                            "__interval", "15s",
                            "__range", "5m"))
                    .in(target.options().project().resolve("dashboards"));
            Check.that(queries.size() >= 10, "%d queries found in dashboards/ only", queries.size());
            long deadline = System.nanoTime() + RECORDED.toNanos();
            List<String> empty = withoutData(queries);
            while (!empty.isEmpty() && System.nanoTime() - deadline < 0) {
                Thread.sleep(2_000);
                empty = withoutData(queries);
            }
            Check.that(empty.isEmpty(), "no data for:%n%s", String.join("\n", empty));
            return queries.size() + " queries";
        });
    }

    private List<String> withoutData(List<DashboardQueries.Query> queries) throws Exception {
        List<String> empty = new ArrayList<>();
        for (DashboardQueries.Query query : queries) {
            if (!EmptyPanels.mayBeEmpty(query) && !hasData(query.expression())) {
                empty.add(query.place() + ": " + query.expression());
            }
        }
        return empty;
    }

    Step evaluatesAlerts() {
        return Step.of("every alert can be evaluated, is about series that exist, and none fires", () -> {
            Evaluation seen = evaluate();
            Check.that(
                    seen.states().size() >= 4,
                    "the chart brings %d alerts only",
                    seen.states().size());
            List<String> wrong = new ArrayList<>(seen.wrong());
            wrong.addAll(seen.firing());
            Check.that(wrong.isEmpty(), "%s", String.join("\n", wrong));
            return String.join("\n", seen.states());
        });
    }

    /** What is planned wakes nobody: no alert has fired since Prometheus started, but for those that are named. */
    Step noAlertHasFired(String when, Set<String> expected) {
        return Step.of("no alert has fired " + when, () -> {
            long seconds = Duration.between(server().startedAt(), Instant.now()).toSeconds() + 1;
            Set<String> fired = new TreeSet<>();
            for (JsonNode series : server().query("count by (alertname) (count_over_time(ALERTS{alertstate=\"firing\"}["
                    + seconds + "s]))")) {
                fired.add(series.at("/metric/alertname").asText());
            }
            fired.removeAll(expected);
            Check.that(fired.isEmpty(), "in the last %d s there fired: %s", seconds, fired);
            return "none in " + seconds + " s";
        });
    }

    /** After all faults each rule can still be evaluated, and what fired has gone. */
    Step evaluatesAlertsAtTheEnd() {
        return Step.of("at the end every alert can be evaluated, and none goes on firing", () -> {
            long deadline = System.nanoTime() + GONE.toNanos();
            Evaluation seen = evaluate();
            while (!seen.firing().isEmpty() && System.nanoTime() - deadline < 0) {
                Thread.sleep(1_000);
                seen = evaluate();
            }
            List<String> wrong = new ArrayList<>(seen.wrong());
            wrong.addAll(seen.firing());
            Check.that(wrong.isEmpty(), "%s", String.join("\n", wrong));
            return seen.states().size() + " rules";
        });
    }

    /** Asks Prometheus for all rules, and for the series that each is about. */
    private Evaluation evaluate() throws Exception {
        Evaluation seen = new Evaluation(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (JsonNode group : server().rules().path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                String name = rule.path("name").asText();
                // A rule that records a series has no state.
                String state = rule.path("state").asText();
                seen.states().add(name + ": " + state);
                if (!"ok".equals(rule.path("health").asText())) {
                    seen.wrong().add(rule.toString());
                }
                if ("firing".equals(state)) {
                    seen.firing().add(rule.toString());
                }
                for (String selector : PromqlSelectors.of(rule.path("query").asText())) {
                    if (!WITHOUT_SERIES.contains(name)
                            && server().query(selector).isEmpty()) {
                        seen.wrong().add(name + ": no series for " + selector);
                    }
                }
            }
        }
        return seen;
    }

    /** Draws every dashboard from all that was seen, and wants data in each panel: by now there was a fault, too. */
    Step drawsDashboards() {
        return Step.of("each dashboard is drawn, and each panel shows something", () -> {
            scrapeAll(scraped.list().size()); // tables show what is there now
            Path pictures = target.options().reportFolder().resolve("dashboards");
            String drawn = new Program(target.options().project().resolve("dashboards/render"), List.of())
                    .run(
                            "--prometheus",
                            "http://" + server().address(),
                            "--from",
                            String.valueOf(server().startedAt().getEpochSecond()),
                            "--to",
                            "now",
                            "--namespace",
                            Target.NAMESPACE,
                            "--cluster",
                            "social",
                            "--out",
                            pictures.toString());
            boolean isGood = drawn.lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith(NO_DATA))
                    .allMatch(line -> EmptyPanels.isEmptyAtTheEnd(line.substring(NO_DATA.length())));
            Check.that(isGood, "panels are empty:%n%s", drawn);
            return drawn.strip();
        });
    }

    /** Waits until all pods that ask for it are scraped, and wants this number of them. */
    private int scrapeAll(int expected) throws Exception {
        List<Pod> pods = scraped.list();
        Check.that(pods.size() == expected, "%d pods want to be scraped, not %d", pods.size(), expected);
        server().scrape(pods);
        Target.await(expected + " targets are scraped", Duration.ofMinutes(1), () -> healthyTargets() == expected);
        return expected;
    }

    /** Whether at least one series has a number: a quantile of nothing is NaN, which a dashboard shows as a gap. */
    private boolean hasData(String expression) throws Exception {
        for (JsonNode series : server().query(expression)) {
            if (!"NaN".equals(series.path("value").path(1).asText())) {
                return true;
            }
        }
        return false;
    }

    private long healthyTargets() throws Exception {
        long healthy = 0;
        for (JsonNode one : server().activeTargets()) {
            healthy += "up".equals(one.path("health").asText()) ? 1 : 0;
        }
        return healthy;
    }

    /** Returns the groups of the chart's PrometheusRule, in the form of a rule file. */
    private String renderedRules() throws Exception {
        if (ruleGroups.isEmpty()) {
            ruleGroups = AlertRules.rendered(target);
        }
        return AlertRules.file(ruleGroups);
    }

    private PrometheusServer server() {
        PrometheusServer running = prometheus;
        if (running == null) {
            throw new AssertionError("Prometheus did not start");
        }
        return running;
    }

    /** Closes something else at the end, wherever the steps stop. */
    void closeAtTheEnd(AutoCloseable other) {
        others.add(other);
    }

    @Override
    public void close() {
        for (AutoCloseable other : others) {
            try {
                other.close();
            } catch (Exception e) {
                System.err.println("closing " + other + " failed: " + e);
            }
        }
        Thread following = follower;
        if (following != null) {
            following.interrupt();
        }
        PrometheusServer running = prometheus;
        if (running != null) {
            running.close();
        }
    }
}
