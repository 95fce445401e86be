package dev.granary.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.env.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A state machine whose state is the list of all commands, as text. */
final class Replayed implements CommandLog.Replay {

    private final List<String> commands = new ArrayList<>();
    private long nextSequence = 1;

    /** Opens the log, replays everything into a new state machine, and closes it again. */
    static List<String> from(Disk disk) throws IOException {
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            return of(log).commands();
        }
    }

    static Replayed of(CommandLog log) {
        Replayed replayed = new Replayed();
        log.replay(replayed);
        return replayed;
    }

    static byte[] state(List<String> commands) {
        return String.join("\n", commands).getBytes(UTF_8);
    }

    List<String> commands() {
        return commands;
    }

    @Override
    public void snapshot(long lastSequence, byte[] state) {
        if (nextSequence != 1) {
            throw new AssertionError("a snapshot after commands");
        }
        if (state.length > 0) {
            commands.addAll(List.of(new String(state, UTF_8).split("\n", -1)));
        }
        nextSequence = lastSequence + 1;
    }

    @Override
    public void command(long sequence, byte[] command) {
        if (sequence != nextSequence) {
            throw new AssertionError("sequence " + sequence + " after " + (nextSequence - 1));
        }
        nextSequence++;
        commands.add(new String(command, UTF_8));
    }
}
