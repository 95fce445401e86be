package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.client.internal.GroupOwners.Place;
import dev.granary.client.internal.KeyMessage.Answer;
import dev.granary.client.internal.KeyMessage.Part;
import dev.granary.env.Futures;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.Nid;
import dev.granary.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Has requests on keys carried out by the owners of their slot groups, pass by pass, until each has its reply. A pass
 * sends each owner what is left for its groups, in as few messages as the limits of a request allow. A request that
 * changes something is not sent again once it may have been carried out (ADR 0273).
 */
public final class KeyBatch {

    /** A group that is full asks for more identifiers; a put is refused until it has them. */
    private static final int MAX_FULL_PASSES = 6;

    private static final String FULL = "OOM";

    private final BatchContext context;
    private final Supplier<String> what;
    private final List<KeyRequest> requests;
    private final boolean change;
    private final long deadlineNanos;
    private final GroupOwners owners;
    private final @Nullable Reply[] replies;

    /** The requests that were sent and of which nobody can say whether they were carried out. */
    private final boolean[] unknown;

    @GuardedBy("this")
    private @Nullable String unknownWhy;

    /** Why requests of this pass were not carried out. */
    @GuardedBy("this")
    private @Nullable Throwable hindrance;

    /** Whether a group was full in this pass, and in how many passes before. */
    @GuardedBy("this")
    private boolean full;

    @GuardedBy("this")
    private int fullPasses;

    /** The chunk of the group whose owner could not be reached last, 0 for none. */
    private volatile long doubtedCid;

    private KeyBatch(BatchContext context, Supplier<String> what, List<KeyRequest> requests, long deadlineNanos) {
        this.context = context;
        this.what = what;
        this.requests = requests;
        this.change = requests.stream().anyMatch(KeyRequest::change);
        this.deadlineNanos = deadlineNanos;
        this.owners = new GroupOwners(context.directory());
        this.replies = new Reply[requests.size()];
        this.unknown = new boolean[requests.size()];
    }

    /**
     * Runs a batch. The future gives the replies in the order of the requests; {@link Reply#NOTHING} for one whose
     * watched key has changed.
     */
    public static CompletableFuture<List<Reply>> run(
            BatchContext context, Supplier<String> what, List<KeyRequest> requests, long deadlineNanos) {
        KeyBatch batch = new KeyBatch(context, what, requests, deadlineNanos);
        return Retry.run(context.retry(), what, deadlineNanos, batch::news, batch::pass)
                .thenApply(_ -> batch.allReplies());
    }

    private @Nullable CompletableFuture<Boolean> news() {
        long cid = doubtedCid;
        return cid == 0 ? null : context.directory().newsOf(cid).ask();
    }

    private List<Reply> allReplies() {
        long lost = IntStream.range(0, unknown.length).filter(i -> unknown[i]).count();
        if (lost > 0) {
            String of = requests.size() == 1 ? "" : " for " + lost + " of " + requests.size() + " keys";
            throw new OutcomeUnknownException(what.get() + " was sent, and nobody can say whether it was carried out"
                    + of + ": " + why() + ". Read the key to see.");
        }
        List<Reply> all = new ArrayList<>(replies.length);
        for (Reply reply : replies) {
            if (reply == null) {
                throw new IllegalStateException("a request on a key has no reply");
            }
            all.add(reply);
        }
        return all;
    }

    private synchronized @Nullable String why() {
        return unknownWhy;
    }

    private CompletableFuture<Void> pass(long timeoutNanos) {
        begin();
        List<Asked> asked = new ArrayList<>();
        pendingByGroup()
                .forEach((group, indexes) ->
                        asked.add(new Asked(group, indexes, owners.find(group, opens(indexes), timeoutNanos))));
        return CompletableFuture.allOf(asked.stream().map(Asked::place).toArray(CompletableFuture[]::new))
                .handle((_, _) -> messages(asked))
                .thenCompose(messages -> Window.run(
                        Math.max(1, context.options().requestsInFlight() * messages.size()),
                        messages.values().stream().flatMap(List::stream).iterator()))
                .thenCompose(_ -> afterPass(timeoutNanos));
    }

    /** Requests on keys of a group, and where they go. */
    @SuppressWarnings("ArrayRecordComponent") // It is read, never compared.
    private record Asked(int group, int[] indexes, CompletableFuture<Place> place) {}

    private synchronized void begin() {
        hindrance = null;
        fullPasses += full ? 1 : 0;
        full = false;
    }

    private CompletableFuture<Void> afterPass(long timeoutNanos) {
        Throwable why;
        synchronized (this) {
            why = hindrance;
        }
        if (why != null) {
            return CompletableFuture.failedFuture(why);
        }
        // Without a hindrance, what has no reply was left out of a large answer.
        return pendingByGroup().isEmpty() ? CompletableFuture.completedFuture(null) : pass(timeoutNanos);
    }

    private Map<Integer, int[]> pendingByGroup() {
        Map<Integer, IntStream.Builder> builders = new LinkedHashMap<>();
        for (int i = 0; i < replies.length; i++) {
            if (replies[i] == null && !unknown[i]) {
                builders.computeIfAbsent(requests.get(i).group(), _ -> IntStream.builder())
                        .add(i);
            }
        }
        Map<Integer, int[]> groups = new LinkedHashMap<>();
        builders.forEach((group, builder) -> groups.put(group, builder.build().toArray()));
        return groups;
    }

    private boolean opens(int[] indexes) {
        return Arrays.stream(indexes).anyMatch(i -> requests.get(i).ifNobody() == null);
    }

    /** Returns the messages of a pass, by their owners. Answers what needs no owner. */
    private Map<Owner, List<Supplier<CompletableFuture<Void>>>> messages(List<Asked> asked) {
        Map<Owner, List<Part>> byOwner = new LinkedHashMap<>();
        for (Asked each : asked) {
            if (each.place.isCompletedExceptionally()) {
                hinder(each.group, Futures.causeOf(each.place.exceptionNow()));
                continue;
            }
            Place place = each.place.join();
            Owner owner = place.owner();
            if (owner == null) {
                Arrays.stream(each.indexes)
                        .forEach(i -> replies[i] = requests.get(i).ifNobody());
            } else {
                byOwner.computeIfAbsent(owner, _ -> new ArrayList<>())
                        .add(new Part(each.group, place.open(), each.indexes));
            }
        }
        Map<Owner, List<Supplier<CompletableFuture<Void>>>> messages = new LinkedHashMap<>();
        byOwner.forEach((owner, parts) -> messages.put(
                owner,
                KeyMessage.cut(requests, parts, context.options()).stream()
                        .<Supplier<CompletableFuture<Void>>>map(message -> () -> send(owner, message))
                        .toList()));
        return messages;
    }

    private CompletableFuture<Void> send(Owner owner, KeyMessage message) {
        long leftNanos = deadlineNanos - context.retry().clock().nanoTime();
        // A change is not sent again, so that nothing is won by waiting for its answer less.
        long timeoutNanos =
                change ? leftNanos : Math.min(leftNanos, context.retry().attemptTimeoutNanos());
        int flags = change ? context.durabilityFlags() : context.durabilityFlags() | GroupCalls.READS;
        return context.rpc()
                .callUnlessRefused(
                        owner.address(),
                        owner.nid(),
                        MessageType.GROUP_CALLS,
                        out -> message.write(flags, out),
                        message::read,
                        timeoutNanos)
                .handle((answers, failure) -> {
                    for (int i = 0; i < message.parts().size(); i++) {
                        Part part = message.parts().get(i);
                        if (failure == null) {
                            take(owner, part, answers.get(i));
                        } else {
                            failed(part, Futures.causeOf(failure));
                        }
                    }
                    return null;
                });
    }

    private void take(Owner owner, Part part, Answer answer) {
        switch (answer.outcome()) {
            case GroupCalls.DONE -> {
                for (int i = 0; i < answer.replies().size(); i++) {
                    reply(part, i, answer.replies().get(i));
                }
            }
            case GroupCalls.WATCH_BROKEN -> replies[part.indexes()[0]] = Reply.NOTHING;
            case GroupCalls.LEFT_OUT -> {
                // The next pass asks for it.
            }
            case GroupCalls.INVALID ->
                hinder(part.group(), new InvalidRequestException(what.get() + " was refused: " + answer.text()));
            case GroupCalls.UNKNOWN -> {
                if (change) {
                    lose(part, answer.text());
                } else {
                    again(owner, part, answer);
                }
            }
            case GroupCalls.NOT_OWNER -> {
                context.directory().suspect(GroupOwners.cidOf(part.group()));
                again(owner, part, answer);
            }
            default -> again(owner, part, answer);
        }
    }

    private void reply(Part part, int place, Reply reply) {
        if (reply instanceof Reply.Failure failure && failure.text().startsWith(FULL) && waitsForRoom()) {
            hinder(part.group(), new Retry.AgainException("the owner says: " + failure.text()));
        } else {
            replies[part.indexes()[place]] = reply;
        }
    }

    private synchronized boolean waitsForRoom() {
        full = true;
        return fullPasses < MAX_FULL_PASSES;
    }

    private void again(Owner owner, Part part, Answer answer) {
        hinder(
                part.group(),
                new Retry.AgainException("storage peer " + Nid.toHex(owner.nid()) + " says: " + answer.text()));
    }

    private void failed(Part part, Throwable failure) {
        context.directory().suspect(GroupOwners.cidOf(part.group()));
        if (change && failure instanceof RpcException call && call.maybeExecuted()) {
            lose(part, String.valueOf(failure.getMessage()));
        } else {
            hinder(part.group(), failure);
        }
    }

    private synchronized void hinder(int group, Throwable why) {
        doubtedCid = GroupOwners.cidOf(group);
        // What ends the operation goes before what is worth another attempt.
        if (hindrance == null || hindrance instanceof Retry.AgainException) {
            hindrance = why;
        }
    }

    private synchronized void lose(Part part, String why) {
        for (int index : part.indexes()) {
            unknown[index] = true;
        }
        unknownWhy = why;
    }
}
