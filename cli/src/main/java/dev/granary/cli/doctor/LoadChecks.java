package dev.granary.cli.doctor;

import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.doctor.Finding.Level;
import dev.granary.cli.doctor.Samples.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Checks of what became of the requests between two looks: errors, slow answers, clients that were refused. Alerts
 * take the mean of minutes, so these checks want more than one request in a hundred, and more than an accident.
 */
final class LoadChecks {

    /** So many requests are no accident any more. */
    private static final double MANY = 2;

    private static final double ONE_IN_A_HUNDRED = 0.01;
    private static final double SLOW_REPLICATION_SECONDS = 0.15;

    /** By operation: how many seconds are slow. */
    private static final Map<String, Double> SLOW_SECONDS =
            new TreeMap<>(Map.of("get", 0.1, "create", 1.0, "put", 1.0, "delete", 1.0));

    static final List<Check> ALL = List.of(
            new Check(
                    "GranaryHighErrorRatio",
                    Level.CRITICAL,
                    "GranaryHighErrorRatio",
                    Needs.STORAGE_METRICS,
                    "hardly any operation ends with an error",
                    LoadChecks::errors),
            new Check(
                    "GranaryHighLatency",
                    Level.WARNING,
                    "GranaryHighLatency",
                    Needs.STORAGE_METRICS,
                    "hardly any request is slow",
                    LoadChecks::latency),
            new Check(
                    "GranaryRedisClientsRefused",
                    Level.CRITICAL,
                    "GranaryRedisClientsRefused",
                    Needs.STORAGE_METRICS,
                    "no door refuses clients of Redis",
                    LoadChecks::refusedClients),
            new Check(
                    "GranaryReplicationLag",
                    Level.WARNING,
                    "GranaryReplicationLag",
                    Needs.STORAGE_METRICS,
                    "backups answer fast",
                    LoadChecks::replication));

    private LoadChecks() {}

    private static boolean isMuch(double part, double all) {
        return part > MANY && part > ONE_IN_A_HUNDRED * all;
    }

    private static List<Trouble> errors(Evidence evidence) {
        String metric = "granary_storage_operations_total";
        double all = 0;
        double errors = 0;
        for (ProcessLook peer : evidence.seenStoragePeers().toList()) {
            for (Sample sample : peer.now().of(metric).toList()) {
                double grown = grown(peer, sample);
                all += grown;
                errors += sample.label("outcome").equals("error") ? grown : 0;
            }
        }
        return isMuch(errors, all)
                ? List.of(Trouble.of(
                        "",
                        String.format(Locale.ROOT, "%.0f of %.0f operations ended with an error", errors, all),
                        "the logs of the storage peers say which; requests may be malformed"))
                : List.of();
    }

    private static List<Trouble> latency(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        SLOW_SECONDS.forEach((operation, seconds) -> found.addAll(slow(
                evidence,
                "granary_storage_request_seconds",
                sample -> sample.label("operation").equals(operation),
                seconds,
                "requests " + operation,
                "look at the processors of the storage peers, and whether backups answer late")));
        return found;
    }

    /** One that is refused may have come at a bad moment. */
    private static List<Trouble> refusedClients(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        for (ProcessLook peer : evidence.seenStoragePeers().toList()) {
            double refused = peer.now()
                    .of("granary_redis_connections_refused_total")
                    .mapToDouble(sample -> grown(peer, sample))
                    .sum();
            if (refused > MANY) {
                found.add(Trouble.of(
                        peer.id(),
                        String.format(
                                Locale.ROOT,
                                "the door of storage peer %s refused %.0f clients of Redis: it has as many as it takes",
                                peer.text(),
                                refused),
                        "look at CLIENT LIST for clients that are idle, or raise redis.clients.max"));
            }
        }
        return found;
    }

    private static List<Trouble> replication(Evidence evidence) {
        return slow(
                evidence,
                "granary_storage_replication_seconds",
                _ -> true,
                SLOW_REPLICATION_SECONDS,
                "requests to backups",
                "look at the disks and processors of the storage peers, and at the network between them");
    }

    /** What took longer than the first bound of a histogram that is not below the limit: certainly too long. */
    private static List<Trouble> slow(
            Evidence evidence, String histogram, Predicate<Sample> which, double limit, String what, String advice) {
        NavigableMap<Double, Double> upTo = new TreeMap<>();
        for (ProcessLook peer : evidence.seenStoragePeers().toList()) {
            peer.now()
                    .of(histogram + "_bucket")
                    .filter(which)
                    .forEach(sample -> upTo.merge(bound(sample), grown(peer, sample), Double::sum));
        }
        Map.Entry<Double, Double> bound = upTo.ceilingEntry(limit);
        if (bound == null) {
            return List.of();
        }
        double all = upTo.getOrDefault(Double.POSITIVE_INFINITY, 0.0);
        double slow = all - bound.getValue();
        return isMuch(slow, all)
                ? List.of(Trouble.of(
                        "",
                        String.format(
                                Locale.ROOT, "%.0f of %.0f %s took more than %.1f s", slow, all, what, bound.getKey()),
                        advice))
                : List.of();
    }

    private static double bound(Sample bucket) {
        String bound = bucket.label("le");
        return bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
    }

    /** How much a counter grew between the two looks; a restarted process counts from 0. */
    private static double grown(ProcessLook process, Sample now) {
        double before = process.before(now);
        return now.value() >= before ? now.value() - before : now.value();
    }
}
