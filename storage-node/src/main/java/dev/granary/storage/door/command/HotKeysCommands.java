package dev.granary.storage.door.command;

import dev.granary.overlay.KeySlot;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.hot.HotKeyOptions;
import dev.granary.storage.keyed.hot.HotKeyReport;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code HOTKEYS}: the keys of this storage peer that are asked for most. Replies are those of Redis 8.6. */
final class HotKeysCommands {

    private static final long MOST_SECONDS = TimeUnit.DAYS.toSeconds(365);

    private HotKeysCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("hotkeys|start", HotKeysCommands::start);
        commands.put("hotkeys|stop", HotKeysCommands::stop);
        commands.put("hotkeys|get", HotKeysCommands::get);
        commands.put("hotkeys|reset", HotKeysCommands::reset);
        commands.put("hotkeys|help", HotKeysCommands::help);
    }

    private static void start(LocalCall call) {
        Parser parser = new Parser(call);
        String error = parser.parse();
        if (error != null) {
            call.reply().error(error);
        } else if (call.door().hotKeys().start(parser.options())) {
            call.ok();
        } else {
            call.reply().error("ERR hotkey tracking session already in progress");
        }
    }

    private static void stop(LocalCall call) {
        if (call.door().hotKeys().stop()) {
            call.ok();
        } else {
            call.reply().error("ERR no hotkey tracking session is in progress; HOTKEYS START begins one");
        }
    }

    private static void reset(LocalCall call) {
        if (call.door().hotKeys().reset()) {
            call.ok();
        } else {
            call.reply().error("ERR hotkey tracking session in progress, stop tracking first");
        }
    }

    private static void get(LocalCall call) {
        HotKeyReport report = call.door().hotKeys().report().orElse(null);
        if (report == null) {
            call.reply().nothing();
            return;
        }
        HotKeyOptions options = report.options();
        boolean selects = options.slots() != null;
        boolean samples = selects && options.sampleRatio() > 1;
        ReplyWriter out = call.reply();
        // An array of one, so that replies of several nodes can be put together.
        out.array(1);
        out.map(7 + (selects ? 2 : 0) + (samples ? 2 : 0) + (options.byTime() ? 3 : 0) + (options.byBytes() ? 2 : 0));
        field(out, "tracking-active", report.active() ? 1 : 0);
        field(out, "sample-ratio", options.sampleRatio());
        out.bulk("selected-slots");
        writeSlots(out, options.slots() == null ? ownSlots(call.door()) : options.slots());
        if (samples) {
            field(out, "sampled-commands-selected-slots-us", micros(report.sampledNanos()));
        }
        if (selects) {
            field(out, "all-commands-selected-slots-us", micros(report.selectedNanos()));
        }
        field(out, "all-commands-all-slots-us", micros(report.allNanos()));
        if (samples) {
            field(out, "net-bytes-sampled-commands-selected-slots", report.sampledBytes());
        }
        if (selects) {
            field(out, "net-bytes-all-commands-selected-slots", report.selectedBytes());
        }
        field(out, "net-bytes-all-commands-all-slots", report.allBytes());
        field(out, "collection-start-time-unix-ms", report.startMillis());
        field(out, "collection-duration-ms", TimeUnit.NANOSECONDS.toMillis(report.durationNanos()));
        if (options.byTime()) {
            // The time of threads is not told apart into that of the program and that of the system.
            field(out, "total-cpu-time-user-ms", TimeUnit.NANOSECONDS.toMillis(report.allNanos()));
            field(out, "total-cpu-time-sys-ms", 0);
        }
        if (options.byBytes()) {
            field(out, "total-net-bytes", report.allBytes());
        }
        if (options.byTime()) {
            out.bulk("by-cpu-time-us");
            writeKeys(out, report.byTime(), TimeUnit.MICROSECONDS.toNanos(1));
        }
        if (options.byBytes()) {
            out.bulk("by-net-bytes");
            writeKeys(out, report.byBytes(), 1);
        }
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }

    private static void field(ReplyWriter out, String name, long value) {
        out.bulk(name);
        out.integer(value);
    }

    /** Writes keys and their sums in turn; those with less than one unit are left out. */
    private static void writeKeys(ReplyWriter out, List<HotKeyReport.HotKey> keys, long unit) {
        List<HotKeyReport.HotKey> told =
                keys.stream().filter(key -> key.sum() >= unit).toList();
        out.array(2 * told.size());
        for (HotKeyReport.HotKey key : told) {
            out.bulk(key.key());
            out.integer(key.sum() / unit);
        }
    }

    /** Writes ranges: first and last slot, or one slot that stands alone. */
    private static void writeSlots(ReplyWriter out, BitSet slots) {
        List<int[]> ranges = new ArrayList<>();
        for (int first = slots.nextSetBit(0); first >= 0; first = slots.nextSetBit(slots.nextClearBit(first))) {
            int last = slots.nextClearBit(first) - 1;
            ranges.add(first == last ? new int[] {first} : new int[] {first, last});
        }
        out.array(ranges.size());
        for (int[] range : ranges) {
            out.array(range.length);
            for (int slot : range) {
                out.integer(slot);
            }
        }
    }

    private static BitSet ownSlots(DoorState door) {
        BitSet slots = new BitSet(KeySlot.COUNT);
        SlotOwners owners = door.owners();
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            if (owners.owner(group) == owners.nid()) {
                slots.set(SlotGroup.firstSlot(group), SlotGroup.firstSlot(group) + SlotGroup.SLOTS);
            }
        }
        return slots;
    }

    private static void help(LocalCall call) {
        call.help("""
                GET
                    Return the keys that took the most time and the most bytes.
                RESET
                    Forget what was seen. The session must have ended.
                START METRICS <count> [CPU] [NET] [COUNT <k>] [DURATION <seconds>] [SAMPLE <ratio>]
                    [SLOTS <count> <slot> [<slot> ...]]
                    Begin to look at the keys of this storage peer, and forget what was seen before.
                STOP
                    End the session. GET still tells what was seen.""");
    }

    /** The arguments of {@code START}. */
    private static final class Parser {

        private static final int METRICS = 2;

        /** Instead of a number that is not there, or is out of its range. */
        private static final long NONE = -1;

        private final LocalCall call;
        private boolean byTime;
        private boolean byBytes;
        private int count = HotKeyOptions.USUAL_KEYS;
        private long seconds;
        private int sampleRatio = 1;
        private @Nullable BitSet slots;
        private int next = 2;

        Parser(LocalCall call) {
            this.call = call;
        }

        HotKeyOptions options() {
            return new HotKeyOptions(byTime, byBytes, count, TimeUnit.SECONDS.toNanos(seconds), sampleRatio, slots);
        }

        /** Returns what is wrong with the arguments; null if nothing is. */
        @Nullable
        String parse() {
            if (next >= call.count() || !call.is(next, "metrics")) {
                return "ERR METRICS parameter is required";
            }
            next++;
            String error = metrics();
            while (error == null && next < call.count()) {
                error = option();
            }
            return error;
        }

        /** Returns the next argument, or {@link #NONE}. */
        private long number(long least, long most) {
            long value = next < call.count() ? call.request().number(next, NONE) : NONE;
            next++;
            return value < least || value > most ? NONE : value;
        }

        /** Kinds that are not known are left out, so that clients may ask for younger ones. */
        private @Nullable String metrics() {
            long kinds = number(1, METRICS);
            if (kinds < 0) {
                return "ERR METRICS count must be 1 or 2";
            }
            for (long i = 0; i < kinds; i++, next++) {
                if (next >= call.count()) {
                    return "ERR METRICS count does not match number of metric types provided";
                }
                if (call.is(next, "cpu")) {
                    if (byTime) {
                        return "ERR METRICS CPU is there twice";
                    }
                    byTime = true;
                } else if (call.is(next, "net")) {
                    if (byBytes) {
                        return "ERR METRICS NET is there twice";
                    }
                    byBytes = true;
                }
            }
            return byTime || byBytes ? null : "ERR METRICS no valid metrics passed; there are CPU and NET";
        }

        private @Nullable String option() {
            int word = next++;
            if (call.is(word, "count")) {
                count = (int) number(1, HotKeyOptions.MOST_KEYS);
                return count > 0 ? null : "ERR COUNT must be between 1 and " + HotKeyOptions.MOST_KEYS;
            }
            if (call.is(word, "duration")) {
                seconds = number(0, MOST_SECONDS);
                return seconds >= 0 ? null : "ERR DURATION must be a number of seconds from 0 to " + MOST_SECONDS;
            }
            if (call.is(word, "sample")) {
                sampleRatio = (int) number(1, Integer.MAX_VALUE);
                return sampleRatio > 0 ? null : "ERR SAMPLE ratio must be positive";
            }
            return call.is(word, "slots") ? slots() : LocalCall.SYNTAX;
        }

        private @Nullable String slots() {
            if (slots != null) {
                return "ERR SLOTS parameter already specified";
            }
            long number = number(1, KeySlot.COUNT);
            if (number < 0) {
                return "ERR SLOTS count must be between 1 and " + KeySlot.COUNT;
            }
            if (number > call.count() - next) {
                return "ERR not enough slot numbers provided";
            }
            BitSet wanted = new BitSet(KeySlot.COUNT);
            SlotOwners owners = call.door().owners();
            for (long i = 0; i < number; i++) {
                int slot = (int) number(0, KeySlot.COUNT - 1);
                if (slot < 0) {
                    return "ERR Invalid or out of range slot";
                }
                if (wanted.get(slot)) {
                    return "ERR duplicate slot number: " + slot;
                }
                if (owners.owner(SlotGroup.ofSlot(slot)) != owners.nid()) {
                    return "ERR slot " + slot + " not handled by this node";
                }
                wanted.set(slot);
            }
            slots = wanted;
            return null;
        }
    }
}
