package dev.granary.operator.control;

import java.util.List;

/**
 * How far storage peers are with a step.
 *
 * @param peers how many storage peers there are
 * @param done how many have done the step
 * @param dumpBytes how many bytes of dumps are written so far
 * @param totalBytes about how many bytes there will be
 * @param problems what prevents the step, one sentence each
 */
public record SleepView(int peers, int done, long dumpBytes, long totalBytes, List<String> problems) {
    /** Copies the list. */
    public SleepView {
        problems = List.copyOf(problems);
    }
}
