package dev.granary.storage.door.keys;

import dev.granary.resp.Request;

/** A command that the door carries out by asking others: slot groups, several of them or several times, or owners. */
@FunctionalInterface
public interface ComposedCommand {

    /** Carries out a request. What is needed of it later is copied before this returns. */
    void run(Caller caller, Request request);
}
