package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_RECOVERER;
import static dev.granary.simulation.FaultKind.CRASH_TWO_PEERS;
import static dev.granary.simulation.FaultKind.DRAIN;
import static dev.granary.simulation.FaultKind.LOSS;
import static dev.granary.simulation.FaultKind.POWER_OFF_PEER;
import static dev.granary.simulation.FaultKind.RESTART_IN_LEASE;
import static dev.granary.simulation.FaultKind.SPREAD;

import java.util.List;

/** Bugs about keys. Clusters have clients that use keys, and copies. */
final class KeyBugs {

    private KeyBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                key(
                                1,
                                "key-acknowledged-without-backups",
                                "A change of a key is acknowledged that backups do not have.")
                        .under(CRASH_PEER)
                        .by(shape -> shape.withStorageNetwork(KeyTamperers::holdingNothing)),
                key(4, "held-key-shown", "A get of a key is answered with a value whose replication is outstanding.")
                        .under(CRASH_PEER, POWER_OFF_PEER, RESTART_IN_LEASE, CRASH_TWO_PEERS, CRASH_RECOVERER)
                        .by(shape -> shape.withBusyKeys().withStorageNetwork(HeldKeys::of)),
                key(10, "key-call-repeated", "A call on keys that was carried out is sent to their owner once more.")
                        .under(LOSS)
                        .by(shape -> shape.withStorageNetwork(KeyTamperers::repeatingCalls)),
                key(19, "expiry-not-logged", "Who recovers a slot group does not know when its keys expire.")
                        .under(CRASH_PEER)
                        .by(shape -> shape.withStorageNetwork(KeyTamperers::loggingNoExpiry)),
                key(19, "keys-not-found", "Who gets a slot group does not find all of its keys.")
                        .under(CRASH_PEER, DRAIN, SPREAD)
                        .by(shape -> shape.withMemories(KeysNotFound::of)),
                key(19, "watch-ignored", "A transaction is carried out although a watched key has changed.")
                        .under(LOSS)
                        .by(shape -> shape.withStorageNetwork(KeyTamperers::ignoringWatches)));
    }

    private static PlantedBug key(int rule, String name, String summary) {
        return PlantedBug.of(rule, name, summary).withKeys().shownAs(Sign.KEYS);
    }
}
