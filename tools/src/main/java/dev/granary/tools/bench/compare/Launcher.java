package dev.granary.tools.bench.compare;

import java.util.List;

/** Says how to start Java processes. They are not started yet; their standard output and input are pipes. */
public interface Launcher {

    /** A process with the class path of this one. */
    ProcessBuilder ours(String mainClass, List<String> arguments);

    /** A process with a server of a store that is a library. */
    ProcessBuilder server(StoreChoice store, String mainClass, List<String> arguments, ComparePlan plan);

    /** A process with a client of a store. */
    ProcessBuilder client(StoreChoice store, String mainClass, List<String> arguments, ComparePlan plan);
}
