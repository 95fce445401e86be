package dev.granary.raft;

import io.microraft.statemachine.StateMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A state machine as the library sees it. What ours throws ends the group here; the library would go on. */
final class MachineAdapter implements StateMachine {

    /** Questions that are asked together. */
    record Questions(List<byte[]> all) {}

    private final ReplicatedStateMachine machine;
    private final BiConsumer<String, Throwable> failure;

    MachineAdapter(ReplicatedStateMachine machine, BiConsumer<String, Throwable> failure) {
        this.machine = machine;
        this.failure = failure;
    }

    @Override
    public @Nullable Object runOperation(long commitIndex, Object operation) {
        return switch (operation) {
            case Entries.TermBegin begin -> null;
            case byte[] command -> guarded("apply command " + commitIndex, () -> machine.apply(commitIndex, command));
            case Questions questions -> answer(questions);
            default -> throw new IllegalStateException("an operation of " + operation.getClass());
        };
    }

    private List<byte[]> answer(Questions questions) {
        List<byte[]> answers = new ArrayList<>();
        for (byte[] question : questions.all) {
            answers.add(machine.query(question));
        }
        return answers;
    }

    @Override
    public void takeSnapshot(long commitIndex, Consumer<Object> chunks) {
        guarded("give its state at " + commitIndex, () -> {
            machine.takeSnapshot(chunks::accept);
            return commitIndex;
        });
    }

    @Override
    public void installSnapshot(long commitIndex, List<Object> chunks) {
        guarded("take a state at " + commitIndex, () -> {
            machine.installSnapshot(chunks.stream().map(byte[].class::cast).toList());
            return commitIndex;
        });
    }

    @Override
    public Object getNewTermOperation() {
        return Entries.TermBegin.INSTANCE;
    }

    private interface Action<T> {
        T run();
    }

    private <T> T guarded(String what, Action<T> action) {
        try {
            return action.run();
        } catch (RuntimeException | Error e) {
            failure.accept("the state machine could not " + what, e);
            throw e;
        }
    }
}
