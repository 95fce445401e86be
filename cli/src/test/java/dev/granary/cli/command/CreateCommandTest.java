package dev.granary.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.KeepingCluster;
import dev.granary.overlay.Cid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link CreateCommand} against a cluster that keeps what it is given. */
class CreateCommandTest {

    private final KeepingCluster cluster = new KeepingCluster();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run create(String... arguments) {
        List<String> all = new ArrayList<>(List.of("create", "--seeds", cluster.seed()));
        all.addAll(Arrays.asList(arguments));
        return Run.of(all.toArray(String[]::new));
    }

    private String kept(String cid) {
        byte[] value = cluster.chunks.get(Cid.parse(cid));
        return value == null ? "nothing" : new String(value, UTF_8);
    }

    @Test
    void create_values_printsTheCidOfEachInTheirOrder() {
        Run run = create("eins", "zwölf", "");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output().lines().map(this::kept)).containsExactly("eins", "zwölf", "");
    }

    @Test
    void create_file_hasItsBytes() throws IOException {
        byte[] content = {0, -1, 10, 13};
        Files.write(folder.resolve("photo"), content);
        Run run = create("--file", folder.resolve("photo").toString());
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(cluster.chunks.get(Cid.parse(run.output().strip()))).isEqualTo(content);
    }

    @Test
    void create_manyOfASize_writesAllCidsToTheFile() throws IOException {
        Path output = folder.resolve("cids");
        Run run = create("--size", "32", "--count", "1000", "--output", output.toString());
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output()).contains("created 1,000 chunks of 32 B");
        assertThat(Files.readAllLines(output))
                .hasSize(1000)
                .doesNotHaveDuplicates()
                .allSatisfy(
                        cid -> assertThat(cluster.chunks.get(Cid.parse(cid))).isEqualTo(new byte[32]));
    }

    @Test
    void create_oneOfASize_printsItsCid() {
        assertThat(kept(create("--size", "3").output().strip())).isEqualTo("\0\0\0");
    }

    /** Nobody could find chunks whose CIDs were never told. */
    @Test
    void create_outputCannotBeWritten_createsNothing() {
        Run run = create(
                "--size",
                "32",
                "--count",
                "10",
                "--output",
                folder.resolve("no/such/cids").toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).startsWith("granary: ").contains("no/such").doesNotContain("\tat ");
        assertThat(cluster.chunks).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "'';say what to create",
                "VALUE --size 3;say what to create",
                "--file x --size 3;say what to create",
                "VALUE --count 3;--count goes with --size",
                "VALUE --near 0x8000000000000001 --on 0x8000;give one of them",
                "VALUE --on storage-0;--on: ",
                "--size 0;at least 1",
                "--size 5 --count 0;at least 1",
                "--file no-such-file;there is no file no-such-file"
            })
    void create_wrongArguments_saysWhatIsWrongAndCreatesNothing(String arguments, String why) {
        Run run = create(arguments.isEmpty() ? new String[0] : arguments.split(" "));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains(why).doesNotContain("\tat ");
        assertThat(cluster.chunks).isEmpty();
    }

    @Test
    void create_onAndNear_areThere() {
        assertThat(kept(create("here", "--on", "0x8000").output().strip())).isEqualTo("here");
        assertThat(kept(create("there", "--near", "0x8000000000000001").output().strip()))
                .isEqualTo("there");
    }
}
