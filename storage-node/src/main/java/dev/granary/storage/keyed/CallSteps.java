package dev.granary.storage.keyed;

import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandErrors;
import dev.granary.resp.command.CommandFlag;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/** Finds the requests of calls with their commands. Thread-safe. */
final class CallSteps {

    static final String WATCH = "watch";

    private final ByteBufAllocator allocator;
    private final CommandTable table = CommandTable.redis();

    CallSteps(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** A request of a call with its command. It holds as long as the call's bytes do. */
    record Step(Command command, Request request) {}

    /**
     * Returns the requests of a call.
     *
     * @throws IllegalArgumentException when they make no sense
     */
    List<Step> of(GroupCall call) {
        List<Step> steps = new ArrayList<>(call.count());
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, allocator)) {
            decoder.authenticated(true);
            decoder.add(call.requests().retain().duplicate());
            while (decoder.next() == RequestDecoder.Step.REQUEST) {
                Command command = table.find(decoder.request());
                if (command == null || !command.takes(decoder.request().count())) {
                    throw new IllegalArgumentException(
                            command == null
                                    ? CommandErrors.unknown(table, decoder.request())
                                    : CommandErrors.wrongArity(command));
                }
                steps.add(new Step(command, decoder.request().view()));
            }
        }
        if (steps.size() != call.count()) {
            throw new IllegalArgumentException(
                    steps.size() + " requests came, and " + call.count() + " were announced");
        }
        return steps;
    }

    /** Returns whether a call changes keys; true also when its requests make no sense. */
    boolean isChange(GroupCall call) {
        try {
            return isChange(of(call));
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    static boolean isChange(List<Step> steps) {
        for (Step step : steps) {
            if (isChange(step.command)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether one of the requests may need more memory. */
    static boolean grows(List<Step> steps) {
        for (Step step : steps) {
            if (step.command.flags().contains(CommandFlag.DENYOOM)) {
                return true;
            }
        }
        return false;
    }

    static boolean isChange(Command command) {
        // To watch a key may remove it, because it has expired.
        return command.flags().contains(CommandFlag.WRITE) || command.name().equals(WATCH);
    }
}
