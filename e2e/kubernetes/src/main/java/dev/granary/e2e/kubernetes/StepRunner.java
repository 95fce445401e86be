package dev.granary.e2e.kubernetes;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs steps one after another and reports each. */
final class StepRunner {

    private final Report report;
    private final Witness witness;

    /** Collects what a failed step has left, before the next step begins. */
    @FunctionalInterface
    interface Witness {
        void look(String step) throws Exception;
    }

    StepRunner(Report report, Witness witness) {
        this.report = report;
        this.witness = witness;
    }

    /** Runs all steps; after a failed essential step, the rest is reported as not run. */
    void run(List<Step> steps) {
        boolean stopped = false;
        for (Step step : steps) {
            if (stopped) {
                report.add(new Report.Line(step.name(), Report.Outcome.NOT_RUN, 0, ""));
            } else {
                Report.Outcome outcome = run(step);
                stopped = step.essential() && outcome == Report.Outcome.FAILED;
            }
        }
    }

    private Report.Outcome run(Step step) {
        System.out.println("\n--- " + step.name());
        long startNanos = System.nanoTime();
        Report.Outcome outcome;
        String detail;
        try {
            detail = step.body().run();
            outcome = Report.Outcome.PASSED;
        } catch (Step.StepSkipped e) {
            detail = String.valueOf(e.getMessage());
            outcome = Report.Outcome.SKIPPED;
        } catch (Exception | AssertionError e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            detail = explain(e) + lookedAt(step);
            outcome = Report.Outcome.FAILED;
        }
        report.add(new Report.Line(step.name(), outcome, (System.nanoTime() - startNanos) / 1e9, detail));
        return outcome;
    }

    /** Has the witness look at what a failed step has left; returns an error text, empty if that worked. */
    private String lookedAt(Step step) {
        try {
            witness.look(step.name());
            return "";
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return "\nwhat the step left could not be collected: " + e;
        }
    }

    /** A failed check says all in its message; for anything else the stack is needed. */
    private static String explain(Throwable failure) {
        if (failure instanceof AssertionError && failure.getMessage() != null) {
            return failure.getMessage();
        }
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
