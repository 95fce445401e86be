package dev.granary.simulation.big;

/** Messages and bytes that a super-peer has sent and received, by kind. */
final class Traffic {

    private final long[] messages = new long[MessageKind.values().length];
    private final long[] bytes = new long[MessageKind.values().length];

    void add(MessageKind kind, long count, long totalBytes) {
        messages[kind.ordinal()] += count;
        bytes[kind.ordinal()] += totalBytes;
    }

    void add(Traffic other) {
        for (MessageKind kind : MessageKind.values()) {
            add(kind, other.messages(kind), other.bytes(kind));
        }
    }

    long messages(MessageKind kind) {
        return messages[kind.ordinal()];
    }

    long bytes(MessageKind kind) {
        return bytes[kind.ordinal()];
    }

    long messages() {
        long sum = 0;
        for (long count : messages) {
            sum += count;
        }
        return sum;
    }
}
