package dev.granary.log.backup;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the log of a zone must hold: every batch that it took, in order, and the content that these lead to. */
final class ZoneModel {

    /** One entry: how it changes what a replay gives. */
    interface Change {
        void apply(Content content);
    }

    /** What a replay must give. */
    static final class Content {
        final TreeMap<Long, String> chunks = new TreeMap<>();
        final TreeMap<Long, Long> tokens = new TreeMap<>();
        final Map<Long, Long> acked = new HashMap<>();
        final Map<Long, TreeMap<Long, String>> answers = new HashMap<>();

        Map<String, String> requests() {
            TreeMap<String, String> left = new TreeMap<>();
            answers.forEach((client, all) -> all.tailMap(acked.getOrDefault(client, 0L), false)
                    .forEach((request, answer) -> left.put(client + "/" + request, answer)));
            return left;
        }
    }

    private final int zone;
    private final List<List<Change>> batches = new ArrayList<>();
    private Content base = new Content();
    long baseSequence;
    long epoch = 1;
    long syncedSequence;

    /** The sequence up to which all in-sync backups hold the zone, as far as its owner knows. */
    long acknowledged;

    ZoneModel(int zone) {
        this.zone = zone;
    }

    int zone() {
        return zone;
    }

    long lastSequence() {
        return baseSequence + batches.size();
    }

    void add(List<Change> batch) {
        batches.add(batch);
    }

    /** Forgets everything above a sequence, as if it had never been there. */
    void cutTo(long sequence) {
        while (lastSequence() > sequence) {
            batches.removeLast();
        }
        syncedSequence = Math.min(syncedSequence, sequence);
        acknowledged = Math.min(acknowledged, sequence);
    }

    /** Replaces the copy by a new one whose base is the present content of the zone. Returns that content. */
    Content rebase() {
        Content now = content();
        baseSequence = lastSequence();
        batches.clear();
        base = now;
        syncedSequence = baseSequence;
        return now;
    }

    Content content() {
        Content content = new Content();
        content.chunks.putAll(base.chunks);
        content.tokens.putAll(base.tokens);
        content.acked.putAll(base.acked);
        base.answers.forEach((client, all) -> content.answers.put(client, new TreeMap<>(all)));
        batches.forEach(batch -> batch.forEach(change -> change.apply(content)));
        return content;
    }
}
