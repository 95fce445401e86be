package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.replicate.HeldReplies;
import dev.granary.storage.replicate.HeldReply;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Answers changes once the backups hold them, or have synced them, as the durability level asks. If the answer tells
 * the result of an earlier change, it waits until the backups hold that, too (SAFETY rules "acknowledgement", "reads").
 * Thread-safe.
 */
final class ChangeAnswers {

    private final Replies replies;

    ChangeAnswers(Replies replies) {
        this.replies = replies;
    }

    /** Sends the changes to the backups, and the answer when they have them. */
    void answer(
            OwnedZones zones,
            RpcRequest request,
            Operation operation,
            Scratch scratch,
            Durability durability,
            ByteBuf out,
            long startNanos) {
        HeldReply held = null;
        boolean sync = durability == Durability.SYNCED;
        for (int group = 0; group < scratch.groups.groups(); group++) {
            OwnedZone zone = scratch.groups.zone(group);
            long sequence = scratch.sequences[group];
            if (zone == null || (sequence == 0 && (operation != Operation.FENCE || zone.isEnded()))) {
                continue;
            }
            if (sequence != 0) {
                zone.send();
            }
            long shown = 0;
            long shownSynced = 0;
            if (operation == Operation.FENCE || (sequence != 0 && hasMissed(scratch, group))) {
                // The answer tells the result of an earlier change, which must not be undone (SAFETY rule "reads").
                shown = hidden(zone, scratch, group, false);
                shownSynced = hidden(zone, scratch, group, true);
            }
            if (sequence != 0 && durability != Durability.ASYNC) {
                shown = Math.max(shown, sequence);
                shownSynced = sync ? Math.max(shownSynced, sequence) : shownSynced;
            }
            if (!zone.holds(shown, false) || !zone.holds(shownSynced, true)) {
                held = held != null ? held : hold(zones, request, operation, out, startNanos);
                zone.await(shown, false, held);
                zone.await(shownSynced, true, held);
            }
        }
        if (held != null) {
            held.begun();
        } else {
            replies.changed(request, operation, out, null);
            replies.time(operation, startNanos);
        }
    }

    /**
     * Returns the sequence of the newest batch that all members must hold, or must have synced, before chunks of a
     * group are shown; 0 for none.
     */
    private static long hidden(OwnedZone zone, Scratch scratch, int group, boolean sync) {
        long hidden = 0;
        for (int place = scratch.groups.start(group); place < scratch.groups.end(group); place++) {
            long cid = scratch.cids[scratch.groups.at(place)];
            hidden = Math.max(hidden, sync ? zone.hidesUntilSynced(cid) : zone.hides(cid));
        }
        return hidden;
    }

    /** Returns whether a chunk of a group was not there, or could not be changed. */
    private static boolean hasMissed(Scratch scratch, int group) {
        for (int place = scratch.groups.start(group); place < scratch.groups.end(group); place++) {
            if (scratch.results[scratch.groups.at(place)] != ChunkStatus.OK) {
                return true;
            }
        }
        return false;
    }

    private HeldReply hold(OwnedZones zones, RpcRequest request, Operation operation, ByteBuf out, long startNanos) {
        return zones.held().hold(request, out.capacity(), HeldReplies.CHANGE_NANOS, refusal -> {
            replies.changed(request, operation, out, refusal);
            replies.time(operation, startNanos);
        });
    }

    /**
     * Repeats an answer, once the backups hold everything that they may not have held when the first one was lost.
     *
     * @return why the answer cannot be sent; null when it will be
     */
    @Nullable
    ErrorReply answerOnceHeld(
            OwnedZones zones, RpcRequest request, Operation operation, Scratch scratch, ByteBuf out, long startNanos) {
        ErrorReply obstacle = obstacle(scratch);
        obstacle = obstacle == null ? zones.held().refusal(out.capacity()) : obstacle;
        if (obstacle != null) {
            return obstacle;
        }
        HeldReply held = hold(zones, request, operation, out, startNanos);
        for (int group = 0; group < scratch.groups.groups(); group++) {
            OwnedZone zone = scratch.groups.zone(group);
            if (zone != null) {
                zone.await(zone.last(), false, held);
                zone.await(hidden(zone, scratch, group, true), true, held);
            }
        }
        held.begun();
        return null;
    }

    /**
     * Returns why backups will not have the change soon, or null. A client that asks again gets this reason instead of
     * no answer.
     */
    private static @Nullable ErrorReply obstacle(Scratch scratch) {
        for (int group = 0; group < scratch.groups.groups(); group++) {
            OwnedZone zone = scratch.groups.zone(group);
            if (zone != null && !zone.isEnded() && !zone.holds(zone.last(), false)) {
                ErrorReply refusal = zone.refusal();
                if (refusal != null) {
                    return refusal;
                }
            }
        }
        return null;
    }
}
