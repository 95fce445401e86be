package dev.granary.testkit;

import java.util.List;

/** An event threw what it must not throw in a simulation; the message has the seed and the last events. */
public final class SimulationFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SimulationFailure(String message, Throwable cause, List<String> lastEvents) {
        super(message + "\nlast events:\n  " + String.join("\n  ", lastEvents), cause);
    }
}
