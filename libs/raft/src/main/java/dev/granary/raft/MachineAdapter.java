package dev.granary.raft;

import io.microraft.statemachine.StateMachine;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A state machine as the library sees it. If it cannot apply a command, or give or take a state, the group ends here.
 */
final class MachineAdapter implements StateMachine {

    /** A question, which is not a command. */
    static final class Question {
        private final byte[] bytes;

        Question(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final ReplicatedStateMachine machine;

    MachineAdapter(ReplicatedStateMachine machine) {
        this.machine = machine;
    }

    @Override
    public @Nullable Object runOperation(long commitIndex, Object operation) {
        return switch (operation) {
            case Entries.TermBegin begin -> null;
            case byte[] command -> machine.apply(commitIndex, command);
            case Question question -> machine.query(question.bytes);
            default -> throw new IllegalStateException("an operation of " + operation.getClass());
        };
    }

    @Override
    public void takeSnapshot(long commitIndex, Consumer<Object> chunks) {
        machine.takeSnapshot(chunks::accept);
    }

    @Override
    public void installSnapshot(long commitIndex, List<Object> chunks) {
        machine.installSnapshot(chunks.stream().map(byte[].class::cast).toList());
    }

    @Override
    public Object getNewTermOperation() {
        return Entries.TermBegin.INSTANCE;
    }
}
