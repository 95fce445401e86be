package dev.granary.superpeer.state.name;

import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.name.NamePosition;
import dev.granary.overlay.name.NameTrie;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The names of one arc: those whose position on the ring lies in it. Deterministic; one thread at a time.
 *
 * <p>Invariants: (1) a request id changes names at most once; (2) a name that is not in the trie stands for nothing;
 * (3) every change has the next version, and versions never fall, also when a name's position moves to another arc: of
 * two states of a position the one of the higher version is later.
 *
 * <pre>
 * part: format u8 (3), version of the names i64, completed changes, list of {@link NameEntry} by their bytes
 * </pre>
 */
public final class NameState {

    private static final int PART_FORMAT = 3;

    /** How many changes are remembered, for storage peers that already have all changes before one of them. */
    public static final int REMEMBERED_CHANGES = 4096;

    /** Bytes of one change: an entry and a text, beside the text's characters. */
    private static final int CHANGE_BYTES = 80;

    private final CompletedChanges completed = new CompletedChanges();
    private final NameTrie names = new NameTrie();

    /** The last changes, one for each version, oldest first. */
    private final ArrayDeque<NameEntry> recent = new ArrayDeque<>();

    private long version;
    private long recentBytes;

    /** Returns roughly the bytes of heap, without {@link #historyBytes}. */
    public long footprintBytes() {
        return names.footprintBytes() + completed.footprintBytes();
    }

    /** Returns roughly the bytes of heap of the remembered changes, whose number is bounded. */
    public long historyBytes() {
        return (long) CHANGE_BYTES * recent.size() + recentBytes;
    }

    /** Returns the number of names. */
    public int size() {
        return names.size();
    }

    /** Returns the version of the names, which rises with every change; 0 before the first one. */
    public long version() {
        return version;
    }

    /**
     * Returns the changes after a version, one for each version, at most {@code limit}; null when the oldest of them is
     * forgotten. A removal changes a name to {@link Cid#NONE}.
     */
    @Nullable
    public List<NameEntry> changesSince(long since, int limit) {
        long count = version - since;
        return count < 0 || count > recent.size()
                ? null
                : recent.stream().skip(recent.size() - count).limit(limit).toList();
    }

    /** Returns the CID for which a name stands; empty when there is no such name. */
    public OptionalLong get(String name) {
        return names.get(name);
    }

    /**
     * Returns names of a piece of the ring.
     *
     * @param after names up to this one are left out; empty for none
     * @param limit the most names, at least 1
     */
    public NameList page(Arc arc, String prefix, String after, int limit) {
        byte[] prefixBytes = prefix.getBytes(StandardCharsets.UTF_8);
        byte[] afterBytes = after.getBytes(StandardCharsets.UTF_8);
        List<NameEntry> entries = new ArrayList<>();
        boolean[] more = new boolean[1];
        NameTrie.NameVisitor visitor = (name, cid) -> {
            if (!startsWith(name, prefixBytes)) {
                return false;
            }
            if (Arrays.equals(name, afterBytes) || !arc.contains(NamePosition.of(name))) {
                return true;
            }
            more[0] = entries.size() == limit;
            if (!more[0]) {
                entries.add(new NameEntry(new String(name, StandardCharsets.UTF_8), cid));
            }
            return !more[0];
        };
        boolean fromPrefix = Arrays.compareUnsigned(afterBytes, prefixBytes) < 0;
        names.forEachFrom(fromPrefix ? prefixBytes : afterBytes, visitor);
        return new NameList(entries, more[0]);
    }

    private static boolean startsWith(byte[] name, byte[] prefix) {
        return name.length >= prefix.length && Arrays.equals(name, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** Applies a committed change. */
    NameResult apply(NameCommand command) {
        NameResult before = completed.find(command);
        if (before != null) {
            return before;
        }
        OptionalLong present = names.get(command.name());
        boolean isNew = present.isEmpty() && command.cid() != Cid.NONE;
        if (isNew && names.size() == NameTrie.MAX_NAMES) {
            return new NameResult.Full();
        }
        long previousCid = present.orElse(Cid.NONE);
        boolean done =
                switch (command.condition()) {
                    case ALWAYS -> true;
                    case IF_ABSENT -> present.isEmpty();
                    case IF_EXPECTED -> previousCid == command.expectedCid();
                };
        if (done && command.cid() != Cid.NONE) {
            names.put(command.name(), command.cid());
        } else if (done) {
            names.remove(command.name());
        }
        if (done) {
            remember(new NameEntry(command.name(), command.cid()));
        }
        NameResult.Changed answer = new NameResult.Changed(done, previousCid);
        completed.add(command, answer);
        return answer;
    }

    private void remember(NameEntry change) {
        version++;
        recent.add(change);
        recentBytes += ByteBufUtil.utf8Bytes(change.name());
        if (recent.size() > REMEMBERED_CHANGES) {
            recentBytes -= ByteBufUtil.utf8Bytes(recent.remove().name());
        }
    }

    /** Begins with these names, without knowing which requests were carried out before. */
    public void rebuilt(NameTrie known, long atVersion) {
        completed.forgotten();
        known.forEach((name, cid) -> {
            names.put(name, cid);
            return true;
        });
        version = atVersion;
    }

    /**
     * Appends the names of a piece of the ring, and the completed changes of all clients, as these do not say to which
     * names they belong.
     */
    void write(Arc within, ByteBuf out) {
        out.writeByte(PART_FORMAT).writeLongLE(version);
        completed.write(out);
        int countIndex = out.writerIndex();
        out.writeIntLE(0);
        int[] count = new int[1];
        names.forEach((name, cid) -> {
            if (within.contains(NamePosition.of(name))) {
                // A NameEntry, without a text made of the bytes and the bytes of the text.
                out.writeShortLE(name.length).writeBytes(name).writeLongLE(cid);
                count[0]++;
            }
            return true;
        });
        out.setIntLE(countIndex, count[0]);
    }

    /** Adds what {@link #write} wrote. */
    void read(ByteBuf in) {
        int format = in.readUnsignedByte();
        if (format != PART_FORMAT) {
            throw new IllegalArgumentException("names of format " + format + "; this program knows " + PART_FORMAT);
        }
        long other = in.readLongLE();
        if (other != version) {
            version = Math.max(version, other);
            recentBytes = 0;
            recent.clear(); // the changes in between are not known here
        }
        completed.merge(in);
        int count = in.readIntLE();
        for (int i = 0; i < count; i++) {
            NameEntry entry = RecordBytes.read(NameEntry.class, in);
            names.put(entry.name(), entry.cid());
        }
    }

    /** Forgets the names of a piece of the ring for which another super-peer answers now. */
    void remove(Arc within) {
        List<byte[]> gone = new ArrayList<>();
        names.forEach((name, cid) -> {
            if (within.contains(NamePosition.of(name))) {
                gone.add(name);
            }
            return true;
        });
        gone.forEach(names::remove);
    }
}
