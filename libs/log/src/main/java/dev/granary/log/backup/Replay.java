package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.BlockHeader;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.log.batch.RecordView;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Visits the newest entries of a zone. A first pass over all records finds the newest version of each CID, a second
 * pass visits these versions. Versions are ordered by their sequence alone: entries that a cut dropped are left out,
 * and in the others epochs never fall while sequences rise.
 */
final class Replay {

    /** A version in the table: the sequence, shifted, and whether it is a tombstone. Zero is no version. */
    private static final int TOMBSTONE = 1;

    private final Disk disk;
    private final ZoneLog.View view;
    private final long upTo;
    private final EntryVisitor visitor;
    private final List<Damage> damage;
    private final List<Damage> newlyFound = new ArrayList<>();
    private final SlotTable slots = new SlotTable();
    private long[] newest = new long[1 << 10];
    private final Map<Long, Client> clients = new HashMap<>();
    private final Map<Long, Token> tokens = new TreeMap<>();
    private EntryCursor reused = new EntryCursor(new byte[0]);
    private long chunks;
    private long chunkBytes;

    /** Completion records of one client. */
    private static final class Client {
        private long acked;
        private final TreeMap<Long, Request> requests = new TreeMap<>();
    }

    private record Request(long acked, long epoch, long sequence, MemorySegment bytes) {}

    private record Token(long token, long epoch, long sequence) {}

    /** What a pass does with an entry. */
    private interface Pass {
        void entry(EntryCursor entry);
    }

    Replay(Disk disk, ZoneLog.View view, long upTo, EntryVisitor visitor, List<Damage> damage) {
        this.disk = disk;
        this.view = view;
        this.upTo = Math.min(upTo, view.lastSequence());
        this.visitor = visitor;
        this.damage = new ArrayList<>(damage);
    }

    ReplayReport run() {
        scan(this::findNewest);
        scan(this::tellNewest);
        tellRequests();
        tokens.forEach((cid, token) -> visitor.token(cid, token.token, token.epoch, token.sequence));
        boolean filled = view.state().filled() && upTo >= view.state().leastCut();
        return new ReplayReport(view.state().zone(), upTo, filled, chunks, chunkBytes, List.copyOf(damage));
    }

    /** Returns the damage that was not known before. */
    List<Damage> found() {
        return newlyFound;
    }

    private void scan(Pass pass) {
        for (int i = 0; i < view.segments().size(); i++) {
            Segment segment = view.segments().get(i);
            int size = view.sizes().get(i).intValue();
            EntryCursor cursor = cursor(size);
            int there;
            try {
                there = disk.read(segment.file(), cursor.array());
            } catch (IOException e) {
                addDamage(segment.file(), 0, "it cannot be read: " + e.getMessage());
                continue;
            }
            if (there < size) {
                addDamage(segment.file(), there, "it has lost its end");
            }
            scan(segment.file(), cursor, Math.min(size, there), pass);
        }
        scanPending(pass);
    }

    /** A cursor over an array of at least some size, which is used for all segments. */
    private EntryCursor cursor(int size) {
        if (reused.array().length < size) {
            reused = new EntryCursor(new byte[size]);
        }
        return reused;
    }

    private void scan(String file, EntryCursor cursor, int size, Pass pass) {
        ZoneState state = view.state();
        new FileWalk(cursor.array(), size, new FileWalk.Visitor() {
                    @Override
                    public void record(BlockHeader block, RecordView record) {
                        if (block.zone == state.zone() && block.generation == state.generation()) {
                            entries(cursor, record, Math.min(upTo, state.limit(block.cut)), pass);
                        }
                    }

                    @Override
                    public void broken(BlockHeader block, int from, int to) {
                        addDamage(file, from, (to - from) + " bytes do not have the right checksum");
                    }
                })
                .run(LogFileHeader.LENGTH);
    }

    private void scanPending(Pass pass) {
        byte[] bytes = view.pending().array();
        int end = view.pending().limit();
        EntryCursor cursor = new EntryCursor(bytes);
        RecordView record = new RecordView();
        int at = view.pending().position();
        while (at < end && record.parse(bytes, at, end)) {
            entries(cursor, record, upTo, pass);
            at = record.end();
        }
    }

    private static void entries(EntryCursor cursor, RecordView record, long limit, Pass pass) {
        cursor.reset(record);
        while (cursor.next()) {
            if (cursor.sequence() <= limit) {
                pass.entry(cursor);
            }
        }
    }

    private void findNewest(EntryCursor entry) {
        switch (entry.type()) {
            case BatchFormat.TYPE_CHUNK -> see(entry.cid(), (entry.sequence() + 1) << 1);
            case BatchFormat.TYPE_TOMBSTONE -> see(entry.cid(), (entry.sequence() + 1) << 1 | TOMBSTONE);
            case BatchFormat.TYPE_REQUEST -> seeRequest(entry);
            default -> {
                Token token = new Token(entry.token(), entry.epoch(), entry.sequence());
                tokens.merge(entry.cid(), token, (a, b) -> b.sequence >= a.sequence ? b : a);
            }
        }
    }

    private void see(long cid, long version) {
        int slot = slots.slot(cid);
        if (slot >= newest.length) {
            newest = Arrays.copyOf(newest, Math.max(2 * newest.length, slots.slots()));
        }
        newest[slot] = Math.max(newest[slot], version);
    }

    private void seeRequest(EntryCursor entry) {
        Client client = clients.computeIfAbsent(entry.clientId(), id -> new Client());
        client.acked = Math.max(client.acked, entry.ackedSequence());
        if (entry.requestSequence() > client.acked) {
            MemorySegment bytes = MemorySegment.ofArray(
                    entry.segment().asSlice(entry.contentAt(), entry.length()).toArray(ValueLayout.JAVA_BYTE));
            Request request = new Request(entry.ackedSequence(), entry.epoch(), entry.sequence(), bytes);
            client.requests.merge(entry.requestSequence(), request, (a, b) -> b.sequence >= a.sequence ? b : a);
        }
    }

    private void tellNewest(EntryCursor entry) {
        if (entry.type() != BatchFormat.TYPE_CHUNK) {
            return;
        }
        int slot = slots.find(entry.cid());
        if (slot >= 0 && newest[slot] == (entry.sequence() + 1) << 1) {
            // If a version is there twice, it is visited once.
            newest[slot] = -1;
            chunks++;
            chunkBytes += entry.length();
            entry.tell(visitor);
        }
    }

    private void tellRequests() {
        new TreeMap<>(clients).forEach((id, client) -> client.requests
                .tailMap(client.acked, false)
                .forEach((requestSequence, request) -> visitor.request(
                        id, requestSequence, request.acked, request.epoch, request.sequence, request.bytes, 0, (int)
                                request.bytes.byteSize())));
    }

    /** Adds damage. Each pass reads the disk, so entries that only the second pass cannot read are damage as well. */
    private void addDamage(String file, long offset, String what) {
        Damage found = new Damage(view.state().zone(), file, offset, 0, view.lastSequence(), what);
        if (!damage.contains(found)) {
            damage.add(found);
            newlyFound.add(found);
        }
    }
}
