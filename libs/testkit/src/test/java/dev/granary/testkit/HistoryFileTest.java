package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.testkit.NameHistory.Change;
import dev.granary.testkit.NameHistory.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Histories are written as docs/formats/history.md says; the judge of e2e/judge reads the same golden file. */
class HistoryFileTest {

    private static final int NID = 0x8000;
    private static final long CID = Cid.of(NID, 1);

    private long nowNanos;
    private final StringWriter text = new StringWriter();
    private final HistoryFile file = new HistoryFile(text, "a \"golden\" test");

    @Test
    void write_everyKindOfLine_isTheGoldenFile() throws IOException {
        writeChunks();
        writeNames();
        file.close();
        assertThat(text).hasToString(golden());
    }

    private void writeChunks() {
        History history = new History(() -> nowNanos += 1_000);
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.create("b", 2);
        history.put("a", CID, 3).done();
        history.get("b", CID).read(3);
        history.put("b", CID, 4).refused();
        Operation open = history.put("b", CID, 5);
        open.unknown();
        Operation rollback = history.rollback(Promise.SYNCED, cid -> true);
        rollback.done();
        history.rollback(Promise.REPLICATED, cid -> cid != CID);
        history.delete("a", CID).notFound();
        history.incarnationEnded(NID);
        history.ownerDied(NID, cid -> cid == CID, cid -> false);
        history.get("a", CID).lost();
        history.fence("a", CID).unknown();
        history.writeTo(file);
    }

    private void writeNames() {
        NameHistory names = new NameHistory(() -> nowNanos += 1_000);
        names.begin("a", Kind.PUT, "n", CID).saw(NameHistory.NOTHING);
        names.begin("a", Kind.PUT_IF_ABSENT, "n", CID + 1).wasAbsent(false);
        names.begin("b", Kind.PUT_IF_ABSENT, "m", CID + 1).wasAbsent(true);
        names.begin("b", Kind.GET, "n", NameHistory.NOTHING).saw(CID);
        names.rollback(nowNanos).done();
        Change refused = names.begin("b", Kind.REMOVE, "n", NameHistory.NOTHING);
        refused.refused();
        names.begin("b", Kind.REMOVE, "n", NameHistory.NOTHING);
        names.writeTo(file);
    }

    private static String golden() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(HistoryFileTest.class.getResourceAsStream("history.jsonl"), "golden file")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
