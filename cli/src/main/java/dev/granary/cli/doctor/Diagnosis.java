package dev.granary.cli.doctor;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * All that the doctor has found, the worst first.
 *
 * @param healthy whether nothing is wrong
 * @param findings what was found
 */
public record Diagnosis(boolean healthy, List<Finding> findings) {

    /** Asks all checks. A check that lacks what it needs to see gives a note. */
    public static Diagnosis make(List<Check> checks, Evidence evidence) {
        List<Finding> findings = new ArrayList<>();
        for (Check check : checks) {
            if (!check.needs().isThere(evidence)) {
                findings.add(Finding.note(
                        "not looked at: " + check.well(), check.needs().text() + " cannot be seen from here"));
                continue;
            }
            List<Trouble> troubles = check.look().apply(evidence);
            troubles.forEach(trouble -> findings.add(Finding.of(check, trouble)));
            if (troubles.isEmpty()) {
                findings.add(Finding.well(check));
            }
        }
        for (ProcessLook process : evidence.processes()) {
            if (!process.isSeen()) {
                findings.add(Finding.note(
                        "the metrics of " + process.role().text() + " " + process.text() + " were not looked at",
                        process.failure()));
            }
        }
        findings.sort(Comparator.comparing(Finding::level).reversed());
        return new Diagnosis(
                findings.stream().noneMatch(finding -> finding.level().isWrong()), List.copyOf(findings));
    }

    /** Exit code of the command: 0 healthy, 1 something is wrong. */
    public int exitCode() {
        return healthy ? 0 : 1;
    }

    /** Prints the findings for people. */
    public void print(PrintStream out) {
        for (Finding finding : findings) {
            out.printf(
                    "  %-8s %s%s%n",
                    finding.level() == Finding.Level.OK ? "ok" : finding.level().name(),
                    finding.what(),
                    finding.since().isEmpty() ? "" : ", since " + finding.since());
            if (!finding.advice().isEmpty()) {
                out.println("           " + finding.advice());
            }
            if (finding.level().isWrong() && !finding.runbook().isEmpty()) {
                out.println("           runbook: " + finding.runbook());
            }
        }
        long wrong =
                findings.stream().filter(finding -> finding.level().isWrong()).count();
        out.println(
                wrong == 0 ? "Nothing is wrong." : wrong + (wrong == 1 ? " thing is wrong." : " things are wrong."));
    }
}
