package dev.granary.net.probe;

import dev.granary.env.Probe;

/** Situations of connections and calls that runs of the simulator should reach. */
public enum NetProbe implements Probe {
    CALL_TIMED_OUT("a call got no answer in time"),
    SILENT_CONNECTION_GIVEN_UP("a connection was given up because nothing came back on it"),
    HELLO_REFUSED("the other side was not the node that was expected"),
    LATE_REPLY_DROPPED("an answer came after its call had ended"),
    CALL_DID_NOT_WAIT("a call failed at once because no connection could be opened a moment ago"),
    CALLS_LOST("a connection was lost with calls on it"),
    CONNECTION_FAILED("a connection could not be opened"),
    CALLS_WAITED_FOR_A_CONNECTION("calls waited for a connection and were sent when it was open"),
    LINK_RETIRED("a link without a connection and without calls was given up");

    private final String description;

    NetProbe(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
