package dev.granary.client;

import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.name.NamePosition;
import dev.granary.overlay.name.NameTrie;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Names for chunks, by futures. A name is a text of 1 to 1024 bytes of UTF-8 and stands for one CID. A chunk is stored
 * before its name, and a name is removed before its chunk: then a name never stands for a chunk that is not there yet or
 * is there no more (SAFETY rule "ways around the owner"). A change is carried out once, whatever is repeated; a change
 * that was acknowledged is seen by every get that begins later. Thread-safe.
 */
public final class AsyncNames {

    private static final Comparator<NameEntry> BY_BYTES =
            Comparator.comparing(entry -> entry.name().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private final BatchContext context;

    /** Of all changes of names of this client, at whichever super-peer. */
    private final MutationSession session;

    AsyncNames(BatchContext context) {
        this.context = context;
        this.session = new MutationSession(context.clientId());
    }

    /**
     * Lets a name stand for a chunk, whatever it stands for now.
     *
     * @return the CID that it stood for before; the future fails with {@link ChunkNotFoundException} or {@link
     *     ChunkLostException} when there is no such chunk
     */
    public CompletableFuture<OptionalLong> put(String name, long cid) {
        return afterChunk(name, cid, NameCondition.ALWAYS, Cid.NONE).thenApply(AsyncNames::previous);
    }

    /** Lets a name stand for a chunk if it stands for none; tells whether it did not. Fails as {@link #put} does. */
    public CompletableFuture<Boolean> putIfAbsent(String name, long cid) {
        return afterChunk(name, cid, NameCondition.IF_ABSENT, Cid.NONE).thenApply(ChangeNameReply::done);
    }

    /** Lets a name stand for another chunk if it stands for the expected one; tells whether it did. */
    public CompletableFuture<Boolean> replace(String name, long expectedCid, long cid) {
        return afterChunk(name, cid, NameCondition.IF_EXPECTED, expectedCid).thenApply(ChangeNameReply::done);
    }

    /** Removes a name; the chunk stays. Returns the CID that it stood for. */
    public CompletableFuture<OptionalLong> remove(String name) {
        return change(name, Cid.NONE, NameCondition.ALWAYS, Cid.NONE).thenApply(AsyncNames::previous);
    }

    /** Removes a name if it stands for this chunk; tells whether it did. */
    public CompletableFuture<Boolean> remove(String name, long expectedCid) {
        return change(name, Cid.NONE, NameCondition.IF_EXPECTED, expectedCid).thenApply(ChangeNameReply::done);
    }

    /** What a name stands for. */
    public CompletableFuture<OptionalLong> get(String name) {
        String problem = problemOf(name);
        if (problem != null) {
            return CompletableFuture.failedFuture(new InvalidRequestException(problem));
        }
        return Retry.run(
                        context.retry(),
                        () -> "a look for the name '" + name + "'",
                        deadline(),
                        timeout -> context.directory()
                                .askSuperPeer(NamePosition.of(name), MessageType.GET_NAME, new GetName(name), timeout))
                .thenApply(reply -> optional(reply.cid()));
    }

    /**
     * Names that begin with a prefix, in the order of their UTF-8 bytes. Names that are put or removed meanwhile may be
     * there or not; all others are there once.
     *
     * @param prefix empty for all
     * @param after names up to this one are left out, for the next page; empty for none
     * @param limit the most names, 1 to 4096
     */
    public CompletableFuture<List<NamedChunk>> list(String prefix, String after, int limit) {
        if (limit < 1 || limit > ListNames.MAX_NAMES) {
            return CompletableFuture.failedFuture(
                    new InvalidRequestException("1 to " + ListNames.MAX_NAMES + " names are listed at once"));
        }
        return Retry.run(context.retry(), () -> "a list of names", deadline(), timeout -> context.directory()
                .view(timeout)
                .thenCompose(view -> page(view, prefix, after, limit, timeout)));
    }

    /** Asks every super-peer for the names of its arc: together they are the whole ring. */
    private CompletableFuture<List<NamedChunk>> page(
            ClusterView view, String prefix, String after, int limit, long timeoutNanos) {
        Ring ring = view.ring();
        List<CompletableFuture<NameList>> lists = new ArrayList<>();
        for (RingMember member : ring.members()) {
            Arc arc = ring.arcOf(member.nid());
            ListNames request = new ListNames(arc.fromExclusive(), arc.toInclusive(), prefix, after, limit);
            lists.add(
                    context.directory().askSuperPeer(arc.toInclusive(), MessageType.LIST_NAMES, request, timeoutNanos));
        }
        return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new)).thenApply(_ -> lists.stream()
                .flatMap(list -> list.join().entries().stream())
                .sorted(BY_BYTES)
                .limit(limit)
                .map(entry -> new NamedChunk(entry.name(), entry.cid()))
                .toList());
    }

    private CompletableFuture<ChangeNameReply> afterChunk(
            String name, long cid, NameCondition condition, long expectedCid) {
        String problem = problemOf(name);
        if (problem != null) {
            return CompletableFuture.failedFuture(new InvalidRequestException(problem));
        }
        return context.fence(cid, 0, deadline())
                .thenCompose(outcome -> outcome == ChunkOutcome.OK
                        ? change(name, cid, condition, expectedCid)
                        : CompletableFuture.failedFuture(outcome.failure(cid)));
    }

    private CompletableFuture<ChangeNameReply> change(
            String name, long cid, NameCondition condition, long expectedCid) {
        String problem = problemOf(name);
        if (problem != null) {
            return CompletableFuture.failedFuture(new InvalidRequestException(problem));
        }
        long sequence = session.begin();
        AtomicBoolean sent = new AtomicBoolean();
        Supplier<ChangeName> request = () -> new ChangeName(
                context.clientId(), sequence, session.acked(), sent.getAndSet(true), name, cid, condition, expectedCid);
        return Retry.run(
                        context.retry(),
                        () -> "a change of the name '" + name + "'",
                        deadline(),
                        timeout -> context.directory()
                                .askSuperPeerAnew(NamePosition.of(name), MessageType.CHANGE_NAME, request, timeout))
                .whenComplete((_, _) -> session.end(sequence));
    }

    private static @Nullable String problemOf(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        if (utf8.length < 1 || utf8.length > NameTrie.MAX_NAME_BYTES) {
            return "a name of " + utf8.length + " bytes of UTF-8; names have 1 to " + NameTrie.MAX_NAME_BYTES;
        }
        return new String(utf8, StandardCharsets.UTF_8).equals(name) ? null : "the name is no Unicode text";
    }

    private static OptionalLong previous(ChangeNameReply reply) {
        return optional(reply.previousCid());
    }

    private static OptionalLong optional(long cid) {
        return cid == Cid.NONE ? OptionalLong.empty() : OptionalLong.of(cid);
    }

    private long deadline() {
        return context.retry().deadlineAfter(context.options().deadline().toNanos());
    }
}
