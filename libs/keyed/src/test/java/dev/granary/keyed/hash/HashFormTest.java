package dev.granary.keyed.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link HashForm}, {@link HashPairs} and {@link HashWriter}: the bytes of docs/formats/keyed-values.md. */
class HashFormTest {

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static Map<String, String> read(byte @Nullable [] content) {
        Map<String, String> all = new LinkedHashMap<>();
        if (content != null) {
            HashPairs pairs = new HashPairs(content);
            while (pairs.next()) {
                all.put(text(pairs.field()), text(pairs.value()));
            }
            assertThat(pairs.end()).isEqualTo(content.length);
            assertThat(all).hasSize(HashForm.count(content));
        }
        return all;
    }

    @Test
    void bytes_ofSmallHash_areThoseOfTheFormat() {
        byte[] content = HashForm.with(HashForm.with(null, bytes("a"), bytes("1")), bytes("b"), bytes(""));

        assertThat(hex(content)).isEqualTo("02" + "01" + "61" + "01" + "31" + "01" + "62" + "00");
    }

    @Test
    void bytes_ofLongValue_haveItsLengthInGroupsOfSevenBits() {
        byte[] content = HashForm.with(null, bytes("f"), bytes("x".repeat(300)));

        assertThat(hex(content)).isEqualTo("01" + "01" + "66" + "ac02" + "78".repeat(300));
    }

    @Test
    void bytes_ofManyFields_haveTheirCountInTwoBytes() {
        Map<ByteBuffer, byte[]> changes = new LinkedHashMap<>();
        for (int i = 0; i < 200; i++) {
            changes.put(ByteBuffer.wrap(bytes("%03d".formatted(i))), bytes(""));
        }

        assertThat(hex(HashForm.withAll(null, changes))).startsWith("c801" + "03" + "303030" + "00" + "03" + "303031");
    }

    @Test
    void with_valueAtTheLimit_isRefusedOneByteLater() {
        // Count, length and byte of the field, four bytes of the value's length.
        int most = HashForm.MOST_BYTES - 7;

        assertThat(HashForm.with(null, bytes("f"), new byte[most])).hasSize(HashForm.MOST_BYTES);
        assertThatThrownBy(() -> HashForm.with(null, bytes("f"), new byte[most + 1]))
                .isInstanceOf(HashTooLargeException.class);
    }

    @Test
    void with_largeValueInsteadOfAnother_fitsAgain() {
        byte[] large = new byte[HashForm.MOST_BYTES - 100];
        byte[] content = HashForm.with(HashForm.with(null, bytes("f"), large), bytes("g"), bytes("1"));

        content = HashForm.with(content, bytes("f"), large);
        content = HashForm.withAll(content, Map.of(ByteBuffer.wrap(bytes("f")), large));

        assertThat(read(content)).containsOnlyKeys("f", "g");
        byte[] full = content;
        assertThatThrownBy(() -> HashForm.with(full, bytes("h"), large)).isInstanceOf(HashTooLargeException.class);
    }

    @Test
    void pairs_ofNumberWithoutEnd_areRefused() {
        assertThatThrownBy(() -> new HashPairs(new byte[] {-1, -1, -1, -1, 1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4 bytes");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void changes_atRandom_areThoseOfAMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, String> model = new LinkedHashMap<>();
        byte[] content = null;
        for (int step = 0; step < 1_500; step++) {
            int fields = random.nextInt(8) == 0 ? 1 + random.nextInt(40) : 1;
            List<String> names = new ArrayList<>();
            for (int i = 0; i < fields; i++) {
                names.add(name(random));
            }
            int kind = random.nextInt(5);
            if (kind == 0 && content != null) {
                content = HashForm.without(content, keys(names));
                model.keySet().removeAll(names);
            } else if (kind == 1) {
                String value = value(random);
                content = HashForm.with(content, bytes(names.getFirst()), bytes(value));
                model.put(names.getFirst(), value);
            } else if (kind == 2) {
                Map<ByteBuffer, byte[]> changes = new LinkedHashMap<>();
                for (String name : names) {
                    String value = value(random);
                    changes.put(ByteBuffer.wrap(bytes(name)), bytes(value));
                    model.put(name, value);
                }
                content = HashForm.withAll(content, changes);
            } else if (content != null) {
                String name = names.getFirst();
                HashPairs pairs = new HashPairs(content);
                assertThat(pairs.find(bytes(name)) ? text(pairs.value()) : null).isEqualTo(model.get(name));
            }
            assertThat(content == null).isEqualTo(model.isEmpty());
            assertThat(read(content).entrySet()).containsExactlyElementsOf(model.entrySet());
        }
    }

    private static Set<ByteBuffer> keys(List<String> names) {
        return names.stream().map(name -> ByteBuffer.wrap(bytes(name))).collect(Collectors.toSet());
    }

    private static String name(SplittableRandom random) {
        int number = random.nextInt(1 << random.nextInt(9));
        return number % 50 == 49 ? "\0long\r\n" + "y".repeat(number) : Integer.toString(number);
    }

    private static String value(SplittableRandom random) {
        return "v".repeat(random.nextInt(10) == 0 ? random.nextInt(20_000) : random.nextInt(6)) + random.nextInt(100);
    }
}
