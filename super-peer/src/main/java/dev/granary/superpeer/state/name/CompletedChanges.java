package dev.granary.superpeer.state.name;

import dev.granary.net.message.RecordBytes;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The results of changes of names, so that a repeated request gets the same answer and changes nothing (SAFETY rule
 * "retries"). Deterministic: it forgets by number of commands, never by time. Bounded: at most {@link #MAX_CLIENTS}
 * clients, of which the one that was silent for most commands is forgotten first; at most {@link #MAX_ANSWERS} answers
 * of each. Once any client was forgotten, a repeated request of an unknown client has an unknown outcome. One thread at
 * a time.
 *
 * <p>Each client has two floors, as a request may be delivered long after it was sent. Up to {@code ended} each request
 * is over and is never carried out again: the client has acknowledged the answer, or the request was carried out and
 * its answer was dropped. From there up to {@code doubted} a request may have been carried out before the client was
 * forgotten: a repeated request is not carried out, a request that is sent for the first time is. Where it is not known
 * which requests that may be, all are doubted until the client sends one for the first time.
 *
 * <p>In snapshots: anyForgotten u8, count of clients i32, {@link NameSnapshot.Client}s.
 */
final class CompletedChanges {

    static final int MAX_CLIENTS = 4096;
    static final int MAX_ANSWERS = 1024;

    /** An entry of the map of clients, its key, the client and its tree. */
    private static final int CLIENT_BYTES = 208;

    /** An entry of a tree, its key and the answer. */
    private static final int ANSWER_BYTES = 96;

    /** Clients in the order of their last change, so that the first one is forgotten first. */
    private final LinkedHashMap<Long, Client> clients = new LinkedHashMap<>(16, 0.75f, true);

    /** All requests of a client are doubted, whatever their sequence. */
    private static final long ALL = Long.MAX_VALUE;

    private boolean anyForgotten;

    /** The number of answers of all clients together. */
    private int answers;

    /** What is known of one client: its answers above {@code ended}. */
    private static final class Client {
        private long ended;
        private long doubted;
        private final TreeMap<Long, NameResult.Changed> answers = new TreeMap<>();

        private Client(long doubted) {
            this.doubted = doubted;
        }

        private void end(long upTo) {
            ended = Math.max(ended, upTo);
            answers.headMap(upTo, true).clear();
        }

        private void add(long sequence, NameResult.Changed answer) {
            answers.put(sequence, answer);
            if (answers.size() > MAX_ANSWERS) {
                end(answers.firstKey());
            }
        }

        private boolean mayBeDone(NameCommand command) {
            return command.sequence() <= ended || (command.repeated() && command.sequence() <= doubted);
        }
    }

    /** Returns the result of a request that has come before; null when the request is to be carried out. */
    @Nullable
    NameResult find(NameCommand command) {
        Client client = clients.get(command.clientId());
        if (client == null) {
            return command.repeated() && anyForgotten ? new NameResult.OutcomeUnknown() : null;
        }
        NameResult.Changed answer = client.answers.get(command.sequence());
        if (answer != null) {
            return answer;
        }
        return client.mayBeDone(command) ? new NameResult.OutcomeUnknown() : null;
    }

    /** Notes the answer of a request that was carried out. */
    void add(NameCommand command, NameResult.Changed answer) {
        // Requests that a forgotten client had sent before this one may have been carried out, whichever arrives first.
        Client client = clients.computeIfAbsent(
                command.clientId(), _ -> anyForgotten ? new Client(command.sequence() - 1) : new Client(0));
        if (client.doubted == ALL) {
            client.doubted = command.sequence() - 1;
        }
        answers -= client.answers.size();
        client.end(command.ackedSequence());
        client.add(command.sequence(), answer);
        answers += client.answers.size();
        forgetTooMany();
    }

    /** Begins without knowing which requests were carried out before. */
    void forgotten() {
        anyForgotten = true;
        clients.values().forEach(client -> client.doubted = ALL);
    }

    private void forgetTooMany() {
        while (clients.size() > MAX_CLIENTS) {
            answers -= clients.pollFirstEntry().getValue().answers.size();
            anyForgotten = true;
        }
    }

    /** Returns roughly the bytes of heap. */
    long footprintBytes() {
        return (long) CLIENT_BYTES * clients.size() + (long) ANSWER_BYTES * answers;
    }

    int clientCount() {
        return clients.size();
    }

    void write(ByteBuf out) {
        out.writeBoolean(anyForgotten).writeIntLE(clients.size());
        // Entries, because looking up by key would change the order.
        for (Map.Entry<Long, Client> entry : clients.entrySet()) {
            Client client = entry.getValue();
            List<NameSnapshot.Answer> all = new ArrayList<>(client.answers.size());
            client.answers.forEach((sequence, answer) ->
                    all.add(new NameSnapshot.Answer(sequence, answer.done(), answer.previousCid())));
            RecordBytes.write(new NameSnapshot.Client(entry.getKey(), client.ended, client.doubted, all), out);
        }
    }

    /**
     * Adds what {@link #write} wrote. Of a client that is known here, too, the answers of both sides count. A side that
     * has forgotten requests and does not know the client may have carried out any of them.
     */
    void merge(ByteBuf in) {
        boolean forgottenHere = anyForgotten;
        boolean forgottenThere = in.readBoolean();
        anyForgotten |= forgottenThere;
        int count = in.readIntLE();
        Set<Long> onlyHere = new HashSet<>(clients.keySet());
        for (int i = 0; i < count; i++) {
            NameSnapshot.Client other = RecordBytes.read(NameSnapshot.Client.class, in);
            onlyHere.remove(other.clientId());
            Client client =
                    clients.computeIfAbsent(other.clientId(), _ -> forgottenHere ? new Client(ALL) : new Client(0));
            answers -= client.answers.size();
            client.end(other.ended());
            client.doubted = Math.max(client.doubted, other.doubted());
            for (NameSnapshot.Answer answer : other.answers()) {
                if (answer.sequence() > client.ended) {
                    client.add(answer.sequence(), new NameResult.Changed(answer.done(), answer.previousCid()));
                }
            }
            answers += client.answers.size();
        }
        if (forgottenThere) {
            for (Map.Entry<Long, Client> entry : clients.entrySet()) {
                if (onlyHere.contains(entry.getKey())) {
                    entry.getValue().doubted = ALL;
                }
            }
        }
        forgetTooMany();
    }
}
