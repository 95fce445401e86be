package dev.granary.operator.control;

import java.util.List;

/**
 * How far storage peers are with a step.
 *
 * @param peers that there are
 * @param done how many are as wanted
 * @param dumpBytes written so far
 * @param totalBytes about how many there will be
 * @param problems what stands against it, a sentence each
 */
public record SleepView(int peers, int done, long dumpBytes, long totalBytes, List<String> problems) {
    /** Copies the list. */
    public SleepView {
        problems = List.copyOf(problems);
    }
}
