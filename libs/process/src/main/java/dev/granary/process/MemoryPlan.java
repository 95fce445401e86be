package dev.granary.process;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How much of a process's memory each thing may take that grows with load or with what others send (ADR 0169). A
 * process makes its plan once, at the start, from what it has: the shares of an area and its reserve never exceed that.
 * Immutable.
 */
public final class MemoryPlan {

    /** Where memory is. */
    public enum Area {
        /** Outside the heap, in buffers of the network. */
        DIRECT("direct memory", "-XX:MaxDirectMemorySize=", 8),
        /** The Java heap. */
        HEAP("Java heap", "-Xmx", 2);

        private final String title;
        private final String flag;
        private final int reserveDivisor;

        Area(String title, String flag, int reserveDivisor) {
            this.title = title;
            this.flag = flag;
            this.reserveDivisor = reserveDivisor;
        }

        /** The part that no share gets: pools round up, and not everything is worth a share of its own. */
        private long reserveBytes(long limitBytes) {
            return limitBytes / reserveDivisor;
        }
    }

    /**
     * The memory that a process has.
     *
     * @param directBytes the most that it may allocate as direct memory
     * @param heapBytes the most that its heap may take
     */
    public record Limits(long directBytes, long heapBytes) {

        /** Those of this process, from the options of its JVM. */
        public static Limits ofProcess() {
            long heapBytes = Runtime.getRuntime().maxMemory();
            long directBytes = vmOption("MaxDirectMemorySize");
            // The JVM's own rule: as much as the heap when no limit is set.
            return new Limits(directBytes == 0 ? heapBytes : directBytes, heapBytes);
        }

        private static long vmOption(String name) {
            var diagnostics = ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class);
            return Long.parseLong(diagnostics.getVMOption(name).getValue());
        }

        private long of(Area area) {
            return switch (area) {
                case DIRECT -> directBytes;
                case HEAP -> heapBytes;
            };
        }
    }

    /**
     * What one thing asks of the plan.
     *
     * @param name in lower case with hyphens, for people
     * @param weight the proportion that this share gets of what is left when all shares have their minimum
     * @param minBytes the least with which this share can work
     * @param maxBytes the most that this share ever needs
     */
    public record Need(String name, Area area, int weight, long minBytes, long maxBytes) {

        public Need {
            if (weight <= 0 || minBytes < 0 || maxBytes < minBytes) {
                throw new IllegalArgumentException("need '" + name + "' has a wrong weight or wrong bounds");
            }
        }
    }

    /**
     * What one thing may take.
     *
     * @param name in lower case with hyphens, for people
     */
    public record Share(String name, Area area, long limitBytes) {}

    private final Limits limits;
    private final Map<String, Share> shares;

    private MemoryPlan(Limits limits, Map<String, Share> shares) {
        this.limits = limits;
        this.shares = shares;
    }

    /**
     * Gives each need its share.
     *
     * @throws MemoryPlanException when the process has too little; says what to change
     */
    public static MemoryPlan of(Limits limits, List<Need> needs) {
        Map<String, Share> shares = new LinkedHashMap<>();
        Map<Area, List<Need>> byArea = new EnumMap<>(Area.class);
        for (Need need : needs) {
            byArea.computeIfAbsent(need.area, area -> new ArrayList<>()).add(need);
        }
        List<String> complaints = new ArrayList<>();
        byArea.forEach((area, ofArea) -> {
            long limitBytes = limits.of(area);
            long plannedBytes = limitBytes - area.reserveBytes(limitBytes);
            long leastBytes = ofArea.stream().mapToLong(Need::minBytes).sum();
            if (leastBytes > plannedBytes) {
                long needed = leastBytes * area.reserveDivisor / (area.reserveDivisor - 1);
                complaints.add(("the process has %d MiB of %s, of which it may plan with %d, but needs %d MiB at least:"
                                + " set %s%dm or more")
                        .formatted(
                                limitBytes >> 20,
                                area.title,
                                plannedBytes >> 20,
                                roundUp(leastBytes),
                                area.flag,
                                roundUp(needed)));
            } else {
                share(ofArea, plannedBytes, shares);
            }
        });
        if (!complaints.isEmpty()) {
            throw new MemoryPlanException(String.join("; ", complaints));
        }
        return new MemoryPlan(limits, shares);
    }

    private static long roundUp(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    /** Each need has its minimum. The rest goes by weight; what exceeds the maximum of one goes to the others. */
    private static void share(List<Need> needs, long plannedBytes, Map<String, Share> shares) {
        List<Need> open = new ArrayList<>(needs);
        Map<Need, Long> given = new LinkedHashMap<>();
        long leftBytes = plannedBytes;
        boolean changed = true;
        while (changed) {
            changed = false;
            long minimumBytes = open.stream().mapToLong(Need::minBytes).sum();
            long weights = open.stream().mapToLong(Need::weight).sum();
            for (Need need : List.copyOf(open)) {
                long bytes = need.minBytes + (leftBytes - minimumBytes) * need.weight / weights;
                given.put(need, bytes);
                if (bytes >= need.maxBytes) {
                    given.put(need, need.maxBytes);
                    leftBytes -= need.maxBytes;
                    open.remove(need);
                    changed = true;
                    break;
                }
            }
        }
        needs.forEach(need ->
                shares.put(need.name, new Share(need.name, need.area, Objects.requireNonNull(given.get(need)))));
    }

    /** The memory that the process has. */
    public Limits limits() {
        return limits;
    }

    /** All shares, in the order in which they were asked for. */
    public Collection<Share> shares() {
        return shares.values();
    }

    /**
     * The number of bytes that a share may take.
     *
     * @throws IllegalArgumentException when there is no share of this name
     */
    public long bytes(String name) {
        Share share = shares.get(name);
        if (share == null) {
            throw new IllegalArgumentException("there is no share '" + name + "'");
        }
        return share.limitBytes;
    }

    /** Writes the plan as a member of an object, with the used bytes where they are known. */
    public void write(JsonText json, Map<String, Long> usedBytes) {
        json.object("memoryPlan");
        for (Area area : Area.values()) {
            json.object(area == Area.DIRECT ? "direct" : "heap").field("limitBytes", limits.of(area));
            long plannedBytes = 0;
            json.object("shares");
            for (Share share : shares.values()) {
                if (share.area == area) {
                    plannedBytes += share.limitBytes;
                    json.object(share.name).field("limitBytes", share.limitBytes);
                    Long used = usedBytes.get(share.name);
                    if (used != null) {
                        json.field("usedBytes", used);
                    }
                    json.end();
                }
            }
            json.end().field("plannedBytes", plannedBytes).end();
        }
        json.end();
    }
}
