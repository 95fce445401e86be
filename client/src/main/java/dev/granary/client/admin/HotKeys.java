package dev.granary.client.admin;

import dev.granary.client.internal.BatchContext;
import dev.granary.env.Futures;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.AskHotKeys;
import dev.granary.net.message.SlotGroupMessages.HotKeyList;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Nid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The keys that are asked for most, as their owners counted them in the last seconds (ADR 0357). Keys are data: only
 * administrators who may read all keys are told.
 *
 * @param keys the busiest first
 * @param missing why storage peers have told none, by their NIDs
 */
public record HotKeys(List<HotKey> keys, Map<Integer, Missing> missing) {

    /** Whoever looks each second does not wait for one that is away. */
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    public HotKeys {
        keys = List.copyOf(keys);
        missing = Map.copyOf(missing);
    }

    /**
     * A key that is asked for much.
     *
     * @param key its first 1024 bytes, a character each
     * @param groupNid the NID of its slot group
     * @param ownerNid the storage peer that owns the slot group
     * @param perSecond how many requests read or change it in a second, estimated
     */
    public record HotKey(String key, int groupNid, int ownerNid, long perSecond) {}

    /**
     * Why a storage peer has told no keys.
     *
     * @param why for people
     * @param refused whether the caller has no permission to see them, so that another attempt is refused, too
     */
    public record Missing(String why, boolean refused) {}

    /** Asks storage peers, each once. The future never fails. */
    static CompletableFuture<HotKeys> ask(BatchContext context, Collection<Integer> nids, int most) {
        long timeoutNanos =
                Math.min(TIMEOUT.toNanos(), context.options().deadline().toNanos());
        Map<Integer, CompletableFuture<HotKeyList>> asked = new TreeMap<>();
        for (int nid : nids) {
            asked.put(
                    nid,
                    context.directory().askStoragePeer(nid, MessageType.HOT_KEYS, new AskHotKeys(most), timeoutNanos));
        }
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new))
                .handle((_, _) -> collect(asked, most));
    }

    private static HotKeys collect(Map<Integer, CompletableFuture<HotKeyList>> asked, int most) {
        List<HotKey> keys = new ArrayList<>();
        Map<Integer, Missing> missing = new TreeMap<>();
        asked.forEach((nid, answer) -> {
            if (answer.isCompletedExceptionally()) {
                missing.put(nid, missing(nid, Futures.causeOf(answer.exceptionNow())));
            } else {
                answer.join()
                        .keys()
                        .forEach(key -> keys.add(new HotKey(key.key(), key.groupNid(), nid, key.perSecond())));
            }
        });
        keys.sort(Comparator.comparingLong(HotKey::perSecond).reversed().thenComparing(HotKey::key));
        return new HotKeys(keys.subList(0, Math.min(most, keys.size())), missing);
    }

    private static Missing missing(int nid, Throwable failure) {
        String why = failure.getMessage();
        return new Missing(
                why == null ? Nid.toHex(nid) + " has not answered" : why,
                failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.NOT_PERMITTED);
    }
}
