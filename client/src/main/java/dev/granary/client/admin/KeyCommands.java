package dev.granary.client.admin;

import dev.granary.client.internal.BatchContext;
import dev.granary.client.internal.KeyBatch;
import dev.granary.client.internal.KeyRequest;
import dev.granary.resp.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Carries out commands on keys as a client of the Redis protocol has them carried out: for tools that copy keys of all
 * types. Applications use {@link dev.granary.client.AsyncKeys}. Thread-safe.
 */
public final class KeyCommands {

    private final BatchContext context;

    KeyCommands(BatchContext context) {
        this.context = context;
    }

    /**
     * Commands on one key that are carried out one after the other, with nothing of others between them.
     *
     * @param commands the name and the arguments of each, at least one command
     */
    @SuppressWarnings("ArrayRecordComponent") // It is written, never compared.
    public record OnKey(byte[] key, List<byte[][]> commands) {

        public OnKey {
            commands = List.copyOf(commands);
        }
    }

    /**
     * Carries out commands on keys, each key by itself. Gives a reply for each key: that of its command, or {@link
     * Reply.Elements} of the replies if it has several. Fails with an {@link
     * dev.granary.client.InvalidRequestException} when a storage peer does not know a command; commands on other keys
     * may have been carried out.
     */
    public CompletableFuture<List<Reply>> carryOut(List<OnKey> keys) {
        List<KeyRequest> requests = keys.stream()
                .map(each -> new KeyRequest(each.key, each.commands, true, null, null))
                .toList();
        long deadlineNanos =
                context.retry().deadlineAfter(context.options().batchDeadline().toNanos());
        return KeyBatch.run(context, () -> "commands on " + keys.size() + " keys", requests, deadlineNanos);
    }
}
