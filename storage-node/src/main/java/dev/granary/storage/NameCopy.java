package dev.granary.storage;

import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.name.NameTrie;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A copy of the names of one arc, whole or being filled. One thread at a time. */
final class NameCopy {

    private final int ownerNid;
    private final Arc arc;
    private final NameTrie names = new NameTrie();
    private long ringEpoch;
    private long version;
    private long heardNanos;

    /** An empty copy of the arc that a request names. */
    NameCopy(SaveNames begin) {
        this.ownerNid = begin.ownerNid();
        this.arc = begin.arc();
        this.version = begin.version();
    }

    /** Whether a request goes on from here. */
    boolean fits(SaveNames request) {
        return arc.equals(request.arc()) && version == request.baseVersion();
    }

    /** Carries out the changes of a request. */
    void apply(SaveNames request, long nowNanos) {
        for (NameEntry change : request.changes()) {
            if (change.cid() == Cid.NONE) {
                names.remove(change.name());
            } else {
                names.put(change.name(), change.cid());
            }
        }
        version = request.version();
        ringEpoch = Math.max(ringEpoch, request.ringEpoch());
        heardNanos = nowNanos;
    }

    /** Names behind one, in the order of their bytes. */
    NameList page(String after, int limit) {
        byte[] bound = after.getBytes(StandardCharsets.UTF_8);
        List<NameEntry> entries = new ArrayList<>();
        boolean[] more = new boolean[1];
        names.forEachFrom(bound, (name, cid) -> {
            if (Arrays.equals(name, bound)) {
                return true;
            }
            more[0] = entries.size() == limit;
            if (!more[0]) {
                entries.add(new NameEntry(new String(name, StandardCharsets.UTF_8), cid));
            }
            return !more[0];
        });
        return new NameList(entries, more[0]);
    }

    /** Returns the description of this copy that super-peers get. */
    NameCopyList.Copy described() {
        return new NameCopyList.Copy(ownerNid, arc.fromExclusive(), arc.toInclusive(), ringEpoch, version);
    }

    int ownerNid() {
        return ownerNid;
    }

    Arc arc() {
        return arc;
    }

    long version() {
        return version;
    }

    long ringEpoch() {
        return ringEpoch;
    }

    /** When something was heard of it last. */
    long heardNanos() {
        return heardNanos;
    }

    long footprintBytes() {
        return names.footprintBytes();
    }
}
