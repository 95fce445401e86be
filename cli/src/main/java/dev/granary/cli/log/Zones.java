package dev.granary.cli.log;

import java.util.List;
import java.util.stream.Collectors;

/** Formats zones, NIDs and sizes. */
final class Zones {

    private Zones() {}

    static String hex(int zone) {
        return String.format("%08x", zone);
    }

    static String nid(int nid) {
        return String.format("%04x", nid);
    }

    static String nids(List<Integer> nids) {
        return nids.stream().map(Zones::nid).collect(Collectors.joining(","));
    }

    static String cid(long cid) {
        return String.format("%016x", cid);
    }

    static String bytes(long bytes) {
        if (bytes < 10L << 10) {
            return bytes + " B";
        }
        if (bytes < 10L << 20) {
            return (bytes >> 10) + " KiB";
        }
        return bytes < 10L << 30 ? (bytes >> 20) + " MiB" : (bytes >> 30) + " GiB";
    }
}
