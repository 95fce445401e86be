package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A segment that the cleaner is about to drop, and the newest version of each CID in it.
 *
 * <p>Most victims are dead as a whole, because chunks are overwritten in turns, or all the time. The cleaner looks up
 * nothing twice for a dead victim, and does not even read one that was written a short time ago (ADR 0144).
 */
final class Victim {

    private final Disk disk;
    private final ZoneLog zone;
    private final Segment segment;
    private final SegmentIndex index;
    private final SlotTable slots = new SlotTable();
    private long[] newest = new long[1 << 10];
    private @Nullable SegmentWalk walk;

    /** All entries, if none of them must be rewritten. */
    private @Nullable NotedEntries dead;

    Victim(Disk disk, ZoneLog zone, Segment segment, SegmentIndex index) {
        this.disk = disk;
        this.zone = zone;
        this.segment = segment;
        this.index = index;
    }

    /** Reads the segment, unless it is known to be dead as a whole. Returns whether it could be read as a whole. */
    boolean read() throws IOException {
        boolean mayBeDead = segment.liveBytes() == 0;
        NotedEntries noted = segment.noted();
        if (mayBeDead && noted != null && noted.isDead(index)) {
            dead = noted;
            return true;
        }
        SegmentWalk begun = new SegmentWalk(zone, segment, disk.read(segment.file()));
        if (mayBeDead) {
            // That is a count; what goes unwritten is decided by the entries themselves.
            NotedEntries found = new NotedEntries(index, segment);
            begun.run((block, entry) -> found.note(entry));
            dead = !begun.isBroken() && found.isDead(index) ? found : null;
        }
        if (dead == null && !begun.isBroken()) {
            begun.run((block, entry) -> noteNewest(entry));
            walk = begun;
        }
        return !begun.isBroken();
    }

    private void noteNewest(EntryCursor entry) {
        if (isOfChunk(entry)) {
            int slot = slots.slot(entry.cid());
            if (slot >= newest.length) {
                newest = Arrays.copyOf(newest, Math.max(2 * newest.length, slots.slots()));
            }
            newest[slot] = Math.max(newest[slot], entry.sequence() + 1);
        }
    }

    /** Takes the entries that are not the newest of their CID out of the index. */
    void forgetDead() throws IOException {
        if (dead != null) {
            dead.forget();
            return;
        }
        long[] left = newest.clone();
        present().run((block, entry) -> {
            if (isOfChunk(entry)) {
                int slot = slots.find(entry.cid());
                boolean live = left[slot] == entry.sequence() + 1 && index.isIn(entry.cid(), segment);
                left[slot] = live ? 0 : left[slot];
                if (!live) {
                    index.forgetCopy(entry.cid());
                }
            }
        });
    }

    void writeLive(CleanedSegments output) throws IOException {
        if (dead != null) {
            return;
        }
        present().run((block, entry) -> {
            switch (entry.type()) {
                case BatchFormat.TYPE_REQUEST -> {
                    if (!index.isAcked(entry.clientId(), entry.requestSequence())) {
                        output.add(entry).countEntry();
                    }
                }
                case BatchFormat.TYPE_TOKEN -> {
                    if (index.isNewestToken(entry.cid(), entry.sequence())) {
                        index.moveToken(entry.cid(), entry.sequence(), output.add(entry));
                    }
                }
                default -> writeChunk(entry, output);
            }
        });
    }

    private void writeChunk(EntryCursor entry, CleanedSegments output) throws IOException {
        int slot = slots.find(entry.cid());
        if (newest[slot] != entry.sequence() + 1 || !index.isIn(entry.cid(), segment)) {
            return;
        }
        newest[slot] = 0;
        if (entry.type() == BatchFormat.TYPE_TOMBSTONE && index.isLastCopy(entry.cid())) {
            index.forget(entry.cid());
            return;
        }
        index.move(entry.cid(), output.add(entry));
    }

    private SegmentWalk present() {
        return Objects.requireNonNull(walk, "it was not read");
    }

    private static boolean isOfChunk(EntryCursor entry) {
        return entry.type() == BatchFormat.TYPE_CHUNK || entry.type() == BatchFormat.TYPE_TOMBSTONE;
    }
}
