package dev.granary.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadHistoryTest {

    private static final long CID = 0x8000000000000001L;
    private static final LoadValue FIRST = new LoadValue(0, 7, 1);
    private static final LoadValue SECOND = new LoadValue(0, 7, 2);

    @TempDir
    private Path folder;

    @Test
    void operations_ofEveryKind_areLinesWithMomentsInTheirOrder() throws IOException {
        try (LoadHistory history = LoadHistory.in(folder, Durability.SYNCED)) {
            history.create("w", FIRST).created(CID);
            LoadHistory.Entry put = history.put("w", CID, SECOND);
            history.get("w", CID).read(FIRST.bytes());
            put.unknown();
            history.get("w", CID).read(new byte[3]);
            history.delete("w", CID).end("not-found");
        }
        assertThat(lines())
                .satisfiesExactly(
                        header -> assertThat(header).contains("\"format\":\"granary-history\",\"version\":2"),
                        create -> assertThat(create)
                                .contains("\"operation\":\"create\",\"value\":" + FIRST.number())
                                .contains("\"chunk\":\"0x8000000000000001\",\"outcome\":\"done\"")
                                .contains("\"begin\":1,")
                                .endsWith("\"end\":2}"),
                        get -> assertThat(get)
                                .contains("\"value\":" + FIRST.number() + ",\"outcome\":\"done\"")
                                .doesNotContain("promise")
                                .contains("\"begin\":4,")
                                .endsWith("\"end\":5}"),
                        put -> assertThat(put)
                                .contains("\"outcome\":\"unknown\",\"promise\":\"synced\",\"begin\":3,")
                                .doesNotContain("\"end\""),
                        torn -> assertThat(torn).contains("\"value\":" + Long.MAX_VALUE),
                        delete -> assertThat(delete).contains("\"outcome\":\"not-found\""));
    }

    @Test
    void values_ofOtherWorkersChunksAndVersions_haveOtherNumbers() {
        assertThat(Stream.of(
                                new LoadValue(0, 0, 0),
                                new LoadValue(0, 0, 1),
                                new LoadValue(0, 1, 0),
                                new LoadValue(1, 0, 0),
                                new LoadValue(1, 1, 1))
                        .map(LoadValue::number))
                .doesNotHaveDuplicates()
                .allMatch(number -> number > 0);
    }

    @Test
    void bytes_thatWereTorn_areNoValue() {
        byte[] bytes = FIRST.bytes();
        assertThat(LoadValue.of(bytes)).contains(FIRST);
        bytes[bytes.length - 1]++;
        assertThat(LoadValue.of(bytes)).isEmpty();
        assertThat(LoadValue.of(new byte[3])).isEmpty();
    }

    private List<String> lines() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return Files.readAllLines(files.findFirst().orElseThrow());
        }
    }
}
