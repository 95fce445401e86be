package dev.granary.client.internal;

import dev.granary.client.AsyncNames;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.NamedChunk;
import dev.granary.client.view.ClusterView;
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

/** Names, which the super-peers of their arcs keep. Thread-safe. */
final class ClusterNames implements AsyncNames {

    private static final Comparator<NameEntry> BY_BYTES =
            Comparator.comparing(entry -> entry.name().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private final BatchContext context;

    /** Counts all changes of names by this client, at any super-peer. */
    private final MutationSession session;

    ClusterNames(BatchContext context) {
        this.context = context;
        this.session = new MutationSession(context.clientId());
    }

    @Override
    public CompletableFuture<OptionalLong> put(String name, long cid) {
        return afterChunk(name, cid, NameCondition.ALWAYS, Cid.NONE).thenApply(ClusterNames::previous);
    }

    @Override
    public CompletableFuture<Boolean> putIfAbsent(String name, long cid) {
        return afterChunk(name, cid, NameCondition.IF_ABSENT, Cid.NONE).thenApply(ChangeNameReply::done);
    }

    @Override
    public CompletableFuture<Boolean> replace(String name, long expectedCid, long cid) {
        return afterChunk(name, cid, NameCondition.IF_EXPECTED, expectedCid).thenApply(ChangeNameReply::done);
    }

    @Override
    public CompletableFuture<OptionalLong> remove(String name) {
        return change(name, Cid.NONE, NameCondition.ALWAYS, Cid.NONE).thenApply(ClusterNames::previous);
    }

    @Override
    public CompletableFuture<Boolean> remove(String name, long expectedCid) {
        return change(name, Cid.NONE, NameCondition.IF_EXPECTED, expectedCid).thenApply(ChangeNameReply::done);
    }

    @Override
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

    @Override
    public CompletableFuture<List<NamedChunk>> list(String prefix, String after, int limit) {
        if (limit < 1 || limit > MAX_LISTED) {
            return CompletableFuture.failedFuture(
                    new InvalidRequestException("a list of " + limit + " names was asked for; 1 to " + MAX_LISTED
                            + " are listed at once: ask for the next page with the last name"));
        }
        return Retry.run(
                context.retry(),
                () -> "a list of the names that begin with '" + prefix + "'",
                deadline(),
                timeout -> context.directory()
                        .view(timeout)
                        .thenCompose(view -> page(view, prefix, after, limit, timeout)));
    }

    /** Asks every super-peer for the names of its arc; all arcs together are the whole ring. */
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
                        : CompletableFuture.failedFuture(Outcomes.failure(outcome, cid)));
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
        return new String(utf8, StandardCharsets.UTF_8).equals(name) ? null : "the name is not valid Unicode";
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
