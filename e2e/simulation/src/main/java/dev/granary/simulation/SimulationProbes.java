package dev.granary.simulation;

import dev.granary.client.probe.ClientProbe;
import dev.granary.env.Probe;
import dev.granary.env.Probes;
import dev.granary.log.probe.LogProbe;
import dev.granary.net.probe.NetProbe;
import dev.granary.raft.probe.RaftProbe;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.superpeer.probe.SuperPeerProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All probes, and how often seeds have hit them. */
public final class SimulationProbes {

    private static final List<Probe[]> OF_MODULES = List.of(
            StorageProbe.values(),
            SuperPeerProbe.values(),
            ClientProbe.values(),
            NetProbe.values(),
            LogProbe.values(),
            RaftProbe.values());

    private SimulationProbes() {}

    /** Returns the probes of all modules. */
    public static List<Probe> all() {
        List<Probe> all = new ArrayList<>();
        OF_MODULES.forEach(probes -> all.addAll(List.of(probes)));
        return all;
    }

    /** Returns the name of a probe's module, for people. */
    public static String moduleOf(Probe probe) {
        return switch (probe) {
            case StorageProbe _ -> "storage-node";
            case SuperPeerProbe _ -> "super-peer";
            case ClientProbe _ -> "client";
            case NetProbe _ -> "libs/net";
            case LogProbe _ -> "libs/log";
            case RaftProbe _ -> "libs/raft";
            default -> throw new IllegalArgumentException("a probe of no module: " + probe);
        };
    }

    /** Returns the unique name of a probe: its module's name and its own, as modules have probes of equal names. */
    public static String nameOf(Probe probe) {
        String module = moduleOf(probe);
        return module.substring(module.lastIndexOf('/') + 1) + "." + probe.label();
    }

    /** Returns how often each probe was hit, by name, without those that were not. */
    public static Map<String, Long> hit() {
        Map<String, Long> hit = new TreeMap<>();
        for (Probe probe : all()) {
            if (Probes.hits(probe) > 0) {
                hit.put(nameOf(probe), Probes.hits(probe));
            }
        }
        return hit;
    }

    /** Returns the names of the probes that were not hit. */
    public static List<String> missed() {
        return all().stream()
                .filter(probe -> Probes.hits(probe) == 0)
                .map(SimulationProbes::nameOf)
                .sorted()
                .toList();
    }
}
