package dev.granary.cli.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import dev.granary.cli.keys.KeyLines.Format;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link KeyLines} on texts of both formats. */
class KeyLinesTest {

    private static KeyLines lines(Format format, String text) throws IOException {
        return new KeyLines(new ByteArrayInputStream(text.getBytes(UTF_8)), format, "keys.txt");
    }

    private static List<String> all(KeyLines lines) throws IOException {
        List<String> all = new ArrayList<>();
        for (KeyValue next = lines.next(); next != null; next = lines.next()) {
            all.add(new String(next.key(), UTF_8) + "=" + new String(next.value(), UTF_8));
        }
        return all;
    }

    @Test
    void tsv_lines_areKeysAndTheRestOfTheLine() throws IOException {
        KeyLines lines = lines(Format.TSV, "a\t1\r\nb\ttwo\ttabs\n\nc\t\n\"d\"\t\"x, y\"");
        assertThat(all(lines)).containsExactly("a=1", "b=two\ttabs", "c=", "\"d\"=\"x, y\"");
        assertThat(lines.bytes()).isEqualTo(30);
    }

    @Test
    void csv_fieldsInQuotes_mayHaveAnything() throws IOException {
        String text = "a,1\r\n\"b\",\"x, \"\"y\"\"\nz\r\"\r\n\"\",empty key\nc,\"\"\nd,";
        assertThat(all(lines(Format.CSV, text))).containsExactly("a=1", "b=x, \"y\"\nz\r", "=empty key", "c=", "d=");
    }

    @Test
    void text_beginsWithAByteOrderMarkAndAHeader_bothAreSkipped() throws IOException {
        KeyLines lines = lines(Format.CSV, "\uFEFFkey,value,note\nä,1\n");
        lines.skipHeader();
        assertThat(all(lines)).containsExactly("ä=1");
        assertThat(all(lines(Format.TSV, "\uFEFFa\t1"))).containsExactly("a=1");
        assertThat(all(lines(Format.TSV, ""))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TSV|'a\t1;b 2'|line 2 of keys.txt has no tab between key and value",
                "CSV|'a,1;b,2,3'|line 2 of keys.txt has 3 fields; a key and a value are expected",
                "CSV|'a,1;b'|line 2 of keys.txt has 1 fields; a key and a value are expected",
                "CSV|'a,\"1;2\";b,\"x'|line 3 of keys.txt has a field whose quotes do not end",
                "CSV|'a,\"1\"2'|line 1 of keys.txt has text behind a field in quotes",
            })
    void text_lineThatMakesNoSense_isRefusedWithItsNumber(Format format, String text, String message)
            throws IOException {
        KeyLines lines = lines(format, text.replace(';', '\n'));
        assertThatThrownBy(() -> all(lines)).isInstanceOf(UserException.class).hasMessage(message);
    }

    @Test
    void text_noEndOfLines_isRefused() throws IOException {
        KeyLines lines = lines(Format.TSV, "x".repeat((16 << 20) + 1));
        assertThatThrownBy(() -> all(lines)).hasMessageContaining("line 1 of keys.txt is longer");
    }
}
