package dev.granary.operator;

import dev.granary.process.ProcessMain;

/** The operator process. */
public final class OperatorMain {
    private OperatorMain() {}

    /** Runs until it is told to stop. */
    public static void main(String[] args) {
        ProcessMain.run(new OperatorProgram(), args);
    }
}
