package dev.granary.microraft;

import io.microraft.statemachine.StateMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes down what it is asked to run, answers with it, and fails on request. */
final class RecordingMachine implements StateMachine {

    private static final String NEW_TERM = "new term";

    private final List<Object> run = new ArrayList<>();
    private boolean fails;

    List<Object> run() {
        return run;
    }

    void setFails(boolean nowFails) {
        fails = nowFails;
    }

    private void failIfAsked() {
        if (fails) {
            throw new IllegalStateException("the machine is broken");
        }
    }

    @Override
    public Object runOperation(long index, Object operation) {
        failIfAsked();
        if (!operation.equals(NEW_TERM)) {
            run.add(operation);
        }
        return operation;
    }

    @Override
    public void takeSnapshot(long index, Consumer<Object> chunks) {
        failIfAsked();
        chunks.accept("state at " + index);
    }

    @Override
    public void installSnapshot(long index, List<Object> chunks) {
        failIfAsked();
        run.addAll(chunks);
    }

    @Override
    public Object getNewTermOperation() {
        return NEW_TERM;
    }
}
