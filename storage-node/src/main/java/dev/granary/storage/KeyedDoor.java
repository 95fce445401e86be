package dev.granary.storage;

import dev.granary.memory.MemoryStatistics;
import dev.granary.overlay.Nid;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.storage.door.state.KeyedFigures;
import dev.granary.storage.keyed.GroupCall;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedCalls;
import dev.granary.storage.keyed.KeyedService;
import dev.granary.storage.keyed.SlotOwners;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a door asks of its storage peer. The door is opened first, because the peer tells others where it is; what is
 * asked before the peer serves is refused. Thread-safe.
 */
final class KeyedDoor implements KeyedCalls, SlotOwners {

    private final StorageNode node;
    private volatile @Nullable KeyedService service;
    private volatile @Nullable SlotOwners owners;

    KeyedDoor(StorageNode node) {
        this.node = node;
    }

    private @Nullable KeyedService service() {
        KeyedService known = service;
        if (known == null) {
            known = node.keyed().orElse(null);
            if (known != null) {
                owners = known.owners();
                service = known;
            }
        }
        return known;
    }

    @Override
    public AtOnce tryAtOnce(int group, Command command, Request request, ReplyWriter reply) {
        KeyedService known = service();
        return known == null ? AtOnce.NOT_DONE : known.calls().tryAtOnce(group, command, request, reply);
    }

    @Override
    public void carryOut(List<GroupCall> calls, Ends ends) {
        KeyedService known = service();
        if (known != null) {
            known.calls().carryOut(calls, ends);
            return;
        }
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).requests().release();
            ends.ended(i, GroupReply.not(Outcome.REFUSED, "this storage peer is just starting"));
        }
    }

    @Override
    public int nid() {
        service();
        SlotOwners known = owners;
        return known == null ? Nid.NONE : known.nid();
    }

    @Override
    public int owner(int group) {
        service();
        SlotOwners known = owners;
        return known == null ? Nid.NONE : known.owner(group);
    }

    @Override
    public List<Door> doors() {
        service();
        SlotOwners known = owners;
        return known == null ? List.of() : known.doors();
    }

    /** Returns what the door shows of keys and memory. */
    KeyedFigures figures() {
        return figures(node);
    }

    /** Returns the figures of a peer, which may have no door. */
    static KeyedFigures figures(StorageNode node) {
        MemoryStatistics memory = node.memoryStatistics();
        KeyedService known = node.keyed().orElse(null);
        long used = known == null ? 0 : known.usedBytes();
        long left = memory.capacityBytes() - memory.usedBytes();
        return new KeyedFigures(
                used,
                known == null ? 0 : known.payloadBytes(),
                Math.min(known == null ? Long.MAX_VALUE : known.limitBytes(), used + left),
                known == null ? 0 : known.keys(),
                known == null ? 0 : known.expiringKeys(),
                known == null ? 0 : known.expiredKeys(),
                known == null ? 0 : known.evictedKeys(),
                known == null ? 0 : known.hits(),
                known == null ? 0 : known.misses(),
                node.copies());
    }
}
