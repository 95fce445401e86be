package dev.granary.simulation.big;

import java.util.EnumMap;
import java.util.Map;

/** Messages and bytes that a super-peer has sent and received, by kind. */
final class Traffic {

    private final Map<MessageKind, Count> counts = new EnumMap<>(MessageKind.class);

    private static final class Count {
        private long messages;
        private long bytes;
    }

    void add(MessageKind kind, long messages, long totalBytes) {
        Count count = count(kind);
        count.messages += messages;
        count.bytes += totalBytes;
    }

    void add(Traffic other) {
        for (MessageKind kind : MessageKind.values()) {
            add(kind, other.messages(kind), other.bytes(kind));
        }
    }

    long messages(MessageKind kind) {
        return count(kind).messages;
    }

    long bytes(MessageKind kind) {
        return count(kind).bytes;
    }

    long messages() {
        return counts.values().stream().mapToLong(count -> count.messages).sum();
    }

    private Count count(MessageKind kind) {
        return counts.computeIfAbsent(kind, any -> new Count());
    }
}
