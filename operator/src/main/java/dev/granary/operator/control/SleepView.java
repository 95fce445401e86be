package dev.granary.operator.control;

import java.util.List;

/**
 * The progress of the storage peers with a step.
 *
 * @param peers number of storage peers
 * @param done number of storage peers that have done the step
 * @param dumpBytes bytes of dumps written so far
 * @param totalBytes expected bytes of dumps, an estimate
 * @param problems what prevents the step, one sentence each
 */
public record SleepView(int peers, int done, long dumpBytes, long totalBytes, List<String> problems) {
    /** Copies the list. */
    public SleepView {
        problems = List.copyOf(problems);
    }
}
