package dev.granary.cli.doctor;

import static dev.granary.cli.doctor.Finding.Level.CRITICAL;
import static dev.granary.cli.doctor.Finding.Level.WARNING;

import dev.granary.cli.base.Sizes;
import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.doctor.Samples.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Checks of what the processes' own metrics say: leases, writes, disks, loops, memory beside the chunks. */
final class MetricChecks {

    private static final double OVERDUE_SECONDS = 15;

    /** So many failures are no accident any more. */
    private static final double MANY_FAILURES = 2;

    /** The alert looks ahead, too: that takes a history. */
    private static final double FREE_OF_VOLUME = 0.1;

    /** A share that stays above this part of its limit is too small. */
    private static final double SHARE_FULL = 0.9;

    /** Whoever renews certificates does so before less than this part of their time is left. */
    private static final double LATE = 0.2;

    /** These shares fill up in time and stay full. */
    private static final Set<String> SHARES_THAT_FILL_UP = Set.of("copy-log-index", "completed-requests");

    static final List<Check> ALL = List.of(
            storage(
                    "GranaryStoragePeerWithoutLease",
                    CRITICAL,
                    "GranaryStoragePeerWithoutLease",
                    "every storage peer that answers holds a lease",
                    MetricChecks::withoutLease),
            storage(
                    "GranaryWritesRefused",
                    CRITICAL,
                    "GranaryWritesRefused",
                    "no zone refuses writes",
                    evidence -> gauge(
                            evidence,
                            "granary_storage_zones_below_floor",
                            "%s zones of storage peer %s refuse writes: they have too few backups",
                            "bring missing storage peers back, or add one")),
            storage(
                    "GranaryLogDiskFull",
                    WARNING,
                    "GranaryLogDiskFull",
                    "no disk is full",
                    evidence -> flag(
                            evidence,
                            "granary_backup_full",
                            "the disk of storage peer %s is full",
                            "give it a larger volume, or add storage peers")),
            storage(
                    "GranaryLogDiskFailed",
                    WARNING,
                    "GranaryLogDiskFailed",
                    "no disk has failed",
                    evidence -> flag(
                            evidence,
                            "granary_backup_failed",
                            "the disk of storage peer %s has failed",
                            "drain it with 'granary drain NID', and start it again with an empty disk")),
            storage(
                    "GranaryLogDiskFillingUp",
                    WARNING,
                    "GranaryLogDiskFillingUp",
                    "every volume has room",
                    MetricChecks::volumes),
            storage(
                    "GranaryCopiesDamaged",
                    WARNING,
                    "GranaryCopiesDamaged",
                    "every log can be read",
                    evidence -> gauge(
                            evidence,
                            "granary_backup_damages",
                            "%s places of the logs of storage peer %s cannot be read",
                            "stop it and call 'granary log verify DIR'; recoveries take other copies")),
            any(
                    "GranaryLoopStandsStill",
                    WARNING,
                    "GranaryLoopStandsStill",
                    "no loop stands still",
                    MetricChecks::loopsThatStandStill),
            any(
                    "GranaryLoopFailing",
                    WARNING,
                    "GranaryLoopFailing",
                    "no loop fails again and again",
                    MetricChecks::loopsThatFail),
            any(
                    "GranaryCertificateExpiresSoon",
                    WARNING,
                    "GranaryCertificateExpiresSoon",
                    "no certificate of TLS is about to expire",
                    MetricChecks::oldCertificates),
            any("", WARNING, "", "every share of memory beside the chunks has room", MetricChecks::fullShares),
            any("", WARNING, "", "all processes have the same version", MetricChecks::versions));

    private MetricChecks() {}

    private static Check storage(
            String alert,
            Finding.Level level,
            String runbook,
            String well,
            java.util.function.Function<Evidence, List<Trouble>> look) {
        return new Check(alert, level, runbook, Needs.STORAGE_METRICS, well, look);
    }

    private static Check any(
            String alert,
            Finding.Level level,
            String runbook,
            String well,
            java.util.function.Function<Evidence, List<Trouble>> look) {
        return new Check(alert, level, runbook, Needs.ANY_METRICS, well, look);
    }

    private static List<Trouble> oldCertificates(Evidence evidence) {
        return evidence.processes().stream()
                .filter(process -> process.now().has("granary_tls_certificate_expiry_seconds"))
                .filter(process -> process.now().sum("granary_tls_certificate_expiry_seconds")
                        < LATE * process.now().sum("granary_tls_certificate_lifetime_seconds"))
                .map(process -> Trouble.of(
                        process.id(),
                        String.format(
                                Locale.ROOT,
                                "the certificate of %s expires in %.1f hours and was not renewed",
                                process.text(),
                                process.now().sum("granary_tls_certificate_expiry_seconds") / 3600),
                        "renew it: new files are taken within seconds, without a restart"))
                .toList();
    }

    private static List<Trouble> withoutLease(Evidence evidence) {
        return evidence.seenStoragePeers()
                .filter(peer -> peer.now().has("granary_storage_lease_valid"))
                .filter(peer -> !peer.isSet("granary_storage_lease_valid"))
                .filter(peer -> !evidence.stateOf(peer.id()).equals("parked"))
                .map(peer -> Trouble.of(
                        peer.id(),
                        "storage peer " + peer.text() + " runs and holds no lease: it serves nothing",
                        "look whether it reaches the super-peer of its arc; its log and /readyz say what it waits"
                                + " for. Do not restart it"))
                .toList();
    }

    /** Storage peers with a gauge above 0; the text gets the value and the peer. */
    private static List<Trouble> gauge(Evidence evidence, String metric, String what, String advice) {
        return evidence.seenStoragePeers()
                .filter(peer -> peer.isSet(metric))
                .map(peer -> Trouble.of(
                        peer.id(),
                        String.format(what, Sizes.count((long) peer.now().sum(metric)), peer.text()),
                        advice))
                .toList();
    }

    private static List<Trouble> flag(Evidence evidence, String metric, String what, String advice) {
        return evidence.seenStoragePeers()
                .filter(peer -> peer.isSet(metric))
                .map(peer -> Trouble.of(peer.id(), String.format(what, peer.text()), advice))
                .toList();
    }

    private static List<Trouble> volumes(Evidence evidence) {
        return evidence.seenStoragePeers()
                .filter(peer -> free(peer) < FREE_OF_VOLUME)
                .map(peer -> Trouble.of(
                        peer.id(),
                        String.format(
                                Locale.ROOT,
                                "the volume of storage peer %s is nearly full, %.1f%% are free",
                                peer.text(),
                                100 * free(peer)),
                        "give it a larger volume, or add storage peers"))
                .toList();
    }

    /** The part of the volume that is free; not a number when the peer does not tell. */
    private static double free(ProcessLook peer) {
        return peer.now().sum("granary_storage_volume_free_bytes")
                / peer.now().sum("granary_storage_volume_size_bytes");
    }

    private static List<Trouble> loopsThatStandStill(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        for (ProcessLook process : evidence.processes()) {
            process.now()
                    .of("granary_loop_overdue_seconds")
                    .filter(loop -> loop.value() > OVERDUE_SECONDS)
                    .forEach(loop -> found.add(Trouble.of(
                                    process.id(),
                                    String.format(
                                            Locale.ROOT,
                                            "loop %s of %s stands still for %.0f s",
                                            loop.label("loop"),
                                            process.text(),
                                            loop.value()),
                                    "look at the processors and the disk of its machine, and at its log")
                            .since(evidence.at()
                                    .minusSeconds((long) loop.value())
                                    .toString())));
        }
        return found;
    }

    /** Loops that failed between two looks, or that have failed often and are late now. */
    private static List<Trouble> loopsThatFail(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        for (ProcessLook process : evidence.processes()) {
            process.now()
                    .of("granary_loop_failures_total")
                    .filter(loop -> loop.value() > MANY_FAILURES)
                    .filter(loop -> loop.value() > process.before(loop) || isLate(process, loop.label("loop")))
                    .forEach(loop -> found.add(Trouble.of(
                            process.id(),
                            "loop " + loop.label("loop") + " of " + process.text() + " fails again and again: "
                                    + Sizes.count((long) loop.value()) + " times since the process started",
                            "the process's log has the exceptions")));
        }
        return found;
    }

    private static boolean isLate(ProcessLook process, String loop) {
        return process.now()
                .of("granary_loop_overdue_seconds")
                .anyMatch(sample -> sample.label("loop").equals(loop) && sample.value() > 0);
    }

    private static List<Trouble> fullShares(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        for (ProcessLook process : evidence.processes()) {
            process.now().of("granary_memory_plan_used_bytes").forEach(used -> {
                double limit = process.now()
                        .of("granary_memory_plan_limit_bytes")
                        .filter(sample -> sample.labels().equals(used.labels()))
                        .mapToDouble(Sample::value)
                        .sum();
                String share = used.label("share");
                if (limit > 0 && used.value() > SHARE_FULL * limit && !SHARES_THAT_FILL_UP.contains(share)) {
                    found.add(Trouble.note(
                            process.id(),
                            String.format(
                                    Locale.ROOT,
                                    "share %s of %s is %.0f%% full",
                                    share,
                                    process.text(),
                                    100 * used.value() / limit),
                            "if it stays so, give the process more memory beside its chunks"));
                }
            });
        }
        return found;
    }

    private static List<Trouble> versions(Evidence evidence) {
        Set<String> versions = new TreeSet<>();
        for (ProcessLook process : evidence.processes()) {
            Stream.of("granary_storage_info", "granary_superpeer_info")
                    .flatMap(process.now()::of)
                    .forEach(info -> versions.add(info.label("version")));
        }
        return versions.size() <= 1
                ? List.of()
                : List.of(Trouble.note(
                        "", "processes have the versions " + String.join(", ", versions), "end the update"));
    }
}
