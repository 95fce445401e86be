package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the zones of a directory, cuts torn tails off, and deletes files that belong to no zone. Only the last segment
 * of a zone can have a torn tail; of the others only the headers are read here.
 */
final class LogOpening {

    private static final Pattern SEGMENT_NAME = Pattern.compile("zone-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})\\.seg");

    private static final Pattern PRIMARY_NAME = Pattern.compile("primary-[0-9a-f]{8}\\.log");

    private final Disk disk;
    private final ZoneTable table;
    private final SegmentStore store;
    private final SpareArrays spares;

    LogOpening(Disk disk, ZoneTable table, SegmentStore store, SpareArrays spares) {
        this.disk = disk;
        this.table = table;
        this.store = store;
        this.spares = spares;
    }

    List<ZoneLog> openAll() throws IOException {
        Map<Integer, TreeMap<Integer, String>> found = new HashMap<>();
        for (String name : disk.list()) {
            Matcher matcher = SEGMENT_NAME.matcher(name);
            if (matcher.matches()) {
                int zone = Integer.parseUnsignedInt(matcher.group(1), 16);
                int generation = Integer.parseUnsignedInt(matcher.group(2), 16);
                ZoneTable.Entry entry = table.entry(zone);
                if (entry == null || entry.state().generation() != generation) {
                    disk.delete(name);
                } else if (entry.removed().contains(Integer.parseUnsignedInt(matcher.group(3), 16))) {
                    disk.delete(name);
                } else {
                    int ordinal = Integer.parseUnsignedInt(matcher.group(3), 16);
                    found.computeIfAbsent(zone, key -> new TreeMap<>()).put(ordinal, name);
                }
            }
        }
        List<ZoneLog> zones = new ArrayList<>();
        for (ZoneTable.Entry entry : table.entries()) {
            zones.add(open(entry, found.getOrDefault(entry.state().zone(), new TreeMap<>())));
        }
        openPrimary(zones);
        return zones;
    }

    private void openPrimary(List<ZoneLog> zones) throws IOException {
        int ordinal = table.primary();
        if (ordinal < 0) {
            PrimaryLog.create(disk, table, 0);
        } else if (disk.exists(PrimaryLog.name(ordinal))) {
            Map<Integer, ZoneLog> byNumber = new TreeMap<>();
            zones.forEach(zone -> byNumber.put(zone.state().zone(), zone));
            new PrimaryScan(disk, byNumber, PrimaryLog.name(ordinal)).run();
        } else {
            for (ZoneLog zone : zones) {
                zone.addDamage(new Damage(
                        zone.state().zone(),
                        PrimaryLog.name(ordinal),
                        0,
                        zone.lastSequence() + 1,
                        Long.MAX_VALUE,
                        "it is missing"));
            }
            PrimaryLog.create(disk, table, ordinal + 1);
        }
        String current = PrimaryLog.name(table.primary());
        for (String name : disk.list()) {
            if (PRIMARY_NAME.matcher(name).matches() && !name.equals(current)) {
                disk.delete(name);
            }
        }
    }

    private ZoneLog open(ZoneTable.Entry entry, SortedMap<Integer, String> found) throws IOException {
        ZoneState state = entry.state();
        ZoneLog zone = new ZoneLog(state, state.header().baseSequence(), false, spares);
        entry.cleanedThrough().forEach(zone::cleaned);
        // All files that were to be deleted are gone now.
        entry.removed().forEach(zone::ordinalIsTaken);
        for (int ordinal : entry.segments()) {
            zone.ordinalIsTaken(ordinal);
            if (!found.containsKey(ordinal)) {
                String name = Segment.name(state.zone(), state.generation(), ordinal);
                zone.addDamage(new Damage(state.zone(), name, 0, 0, Long.MAX_VALUE, "it is missing"));
            }
        }
        Segment tail = null;
        for (Map.Entry<Integer, String> file : found.entrySet()) {
            zone.ordinalIsTaken(file.getKey());
            boolean noted = entry.segments().contains(file.getKey());
            Segment segment = openSegment(zone, file.getValue(), file.getKey(), noted);
            if (segment != null && segment.isCleaned() && !noted) {
                // The cleaner was interrupted before it made this segment count: the old segments are still there.
                disk.delete(file.getValue());
            } else if (segment != null) {
                zone.addSegment(segment);
                zone.restoreLast(Math.min(
                        segment.header().lastSequence(),
                        state.limit(segment.header().cut())));
                if (segment.header().kind() == LogFileHeader.SEGMENT) {
                    tail = segment;
                }
                if (!noted) {
                    store.mayBeUnsynced(segment, zone, false);
                }
            }
        }
        if (tail != null) {
            new TailScan(disk, zone, tail, entry.durableBytes(tail.ordinal())).run();
            store.mayBeUnsynced(tail, zone, entry.segments().contains(tail.ordinal()));
        }
        zone.noteSuperseded();
        return zone;
    }

    private @Nullable Segment openSegment(ZoneLog zone, String name, int ordinal, boolean noted) throws IOException {
        byte[] start = disk.read(name, 0, LogFileHeader.LENGTH);
        LogFileHeader header = LogFileHeader.decode(start);
        if (header == null && !noted) {
            LogProbe.UNSYNCED_SEGMENT_DELETED.hit();
            // The segment was created, and nothing of it was synced before the power failed.
            disk.delete(name);
            return null;
        }
        if (header == null || header.zone().zone() != zone.state().zone() || header.ordinal() != ordinal) {
            zone.addDamage(new Damage(
                    zone.state().zone(),
                    name,
                    0,
                    0,
                    Long.MAX_VALUE,
                    "it does not start as a segment of its name does"));
            return null;
        }
        Segment segment = new Segment(name, header, disk.sizeBytes(name));
        segment.synced();
        return segment;
    }
}
