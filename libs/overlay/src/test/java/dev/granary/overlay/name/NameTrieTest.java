package dev.granary.overlay.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameTrieTest {

    private final NameTrie trie = new NameTrie();

    @AfterEach
    void verifyTrie() {
        trie.verify();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> names(NameTrie trie, String prefix) {
        List<String> names = new ArrayList<>();
        trie.forEach(bytes(prefix), (name, cid) -> names.add(new String(name, StandardCharsets.UTF_8)));
        return names;
    }

    @Test
    void putIfAbsent_nameThatIsThere_keepsItsCid() {
        assertThat(trie.putIfAbsent("a", 1)).isEmpty();
        assertThat(trie.putIfAbsent("a", 2)).hasValue(1);
        assertThat(trie.get("a")).hasValue(1);
        assertThat(trie.get("b")).isEmpty();
        assertThat(trie.size()).isEqualTo(1);
    }

    @Test
    void put_nameThatIsThere_replacesItsCid() {
        assertThat(trie.put("a", 1)).isEmpty();
        assertThat(trie.put("ab", 5)).isEmpty();
        assertThat(trie.put("a", 2)).hasValue(1);
        assertThat(trie.get("a")).hasValue(2);
        assertThat(trie.get("ab")).hasValue(5);
        assertThat(trie.size()).isEqualTo(2);
    }

    @Test
    void forEach_prefix_visitsOnlyNamesThatBeginWithIt() {
        for (String name : List.of("user:1", "user:10", "user:2", "users", "use", "user:", "väter", "\0", "user:\0")) {
            trie.putIfAbsent(name, 7);
        }
        assertThat(names(trie, "user:")).containsExactly("user:", "user:\0", "user:1", "user:10", "user:2");
        assertThat(names(trie, "")).startsWith("\0", "use", "user:").endsWith("väter");
        assertThat(names(trie, "user:3")).isEmpty();
        assertThat(names(trie, "user:100")).isEmpty();
        assertThat(names(trie, "vä")).containsExactly("väter");
    }

    @Test
    void forEach_visitorThatHasSeenEnough_stops() {
        for (int i = 0; i < 100; i++) {
            trie.putIfAbsent("name-" + i, 1 + i);
        }
        List<Long> seen = new ArrayList<>();
        trie.forEach((name, cid) -> {
            seen.add(cid);
            return seen.size() < 3;
        });
        assertThat(seen).containsExactly(1L, 2L, 11L);
        assertThat(trie.higherName(bytes("name-11"))).contains(bytes("name-12"));
        assertThat(trie.higherName(bytes("name-99"))).isEmpty();
    }

    @Test
    void names_impossibleSizesAndCids_areRefused() {
        assertThatThrownBy(() -> trie.putIfAbsent("", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one byte");
        assertThatThrownBy(() -> trie.putIfAbsent(new byte[NameTrie.MAX_NAME_BYTES + 1], 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a name of 1025 bytes; at most 1024 are allowed");
        assertThatThrownBy(() -> trie.putIfAbsent("a", Cid.NONE)).hasMessageContaining("no chunk");
        byte[] longest = new byte[NameTrie.MAX_NAME_BYTES];
        Arrays.fill(longest, (byte) 0xFF);
        assertThat(trie.putIfAbsent(longest, 5)).isEmpty();
        byte[] almost = longest.clone();
        almost[almost.length - 1] = (byte) 0xFE;
        assertThat(trie.putIfAbsent(almost, 6)).isEmpty();
        assertThat(trie.get(longest)).hasValue(5);
        assertThat(trie.get(new byte[2000])).isEmpty();
    }

    @Test
    void remove_lastName_givesTheMemoryBack() {
        for (int i = 0; i < 10_000; i++) {
            trie.putIfAbsent("name-" + i, 1 + i);
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(trie.remove("name-" + i)).hasValue(1 + i);
        }
        assertThat(trie.remove("name-1")).isEmpty();
        assertThat(trie.footprintBytes()).isLessThan(200);
    }

    @Test
    void footprint_hundredThousandNames_isABranchALeafAndTheBytesEach() {
        long nameBytes = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] name = bytes("profile:" + i * 37);
            nameBytes += name.length;
            trie.putIfAbsent(name, 1 + i);
        }
        assertThat((double) (trie.footprintBytes() - nameBytes) / trie.size()).isLessThan(28.0);
    }

    @ParameterizedTest
    @CsvSource({"1,3,2,40000", "2,200,2,40000", "3,8,4,60000", "4,256,1000,6000"})
    void randomOperations_anyNames_equalTheModel(long seed, int alphabet, int longest, int steps) {
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<byte[], Long> model = new TreeMap<>(Arrays::compareUnsigned);
        for (int step = 0; step < steps; step++) {
            String at = "seed %d step %d".formatted(seed, step);
            byte[] name = name(random, alphabet, longest);
            boolean grows = step / (steps / 4) % 2 == 0;
            if (random.nextInt(10) < (grows ? 8 : 2)) {
                assertThat(trie.putIfAbsent(name, 1 + step)).as(at).isEqualTo(orEmpty(model.get(name)));
                model.putIfAbsent(name, 1L + step);
            } else {
                byte[] known = random.nextBoolean() ? model.ceilingKey(name) : null;
                byte[] removed = known == null ? name : known;
                assertThat(trie.remove(removed)).as(at).isEqualTo(orEmpty(model.remove(removed)));
            }
            assertThat(trie.size()).as(at).isEqualTo(model.size());
            byte[] probe = name(random, alphabet, longest);
            assertThat(trie.get(probe)).as(at).isEqualTo(orEmpty(model.get(probe)));
            assertThat(trie.higherName(probe).orElse(null)).as(at).isEqualTo(model.higherKey(probe));
            if (step % 500 == 0) {
                trie.verify();
                checkPrefix(model, Arrays.copyOf(probe, random.nextInt(probe.length + 1)), at);
            }
        }
        checkPrefix(model, new byte[0], "seed " + seed);
    }

    private static OptionalLong orEmpty(@Nullable Long cid) {
        return cid == null ? OptionalLong.empty() : OptionalLong.of(cid);
    }

    private void checkPrefix(NavigableMap<byte[], Long> model, byte[] prefix, String at) {
        List<Map.Entry<byte[], Long>> expected = new ArrayList<>();
        for (Map.Entry<byte[], Long> entry : model.tailMap(prefix).entrySet()) {
            byte[] start = Arrays.copyOf(entry.getKey(), Math.min(prefix.length, entry.getKey().length));
            if (!Arrays.equals(start, prefix)) {
                break;
            }
            expected.add(entry);
        }
        int[] next = {0};
        trie.forEach(prefix, (name, cid) -> {
            assertThat(name).as(at).isEqualTo(expected.get(next[0]).getKey());
            assertThat(cid).as(at).isEqualTo(expected.get(next[0]).getValue());
            next[0]++;
            return true;
        });
        assertThat(next[0]).as(at).isEqualTo(expected.size());
    }

    private static byte[] name(SplittableRandom random, int alphabet, int longest) {
        byte[] name = new byte[1 + random.nextInt(longest)];
        for (int i = 0; i < name.length; i++) {
            name[i] = (byte) random.nextInt(alphabet);
        }
        // Long names that differ late.
        if (name.length > 100) {
            Arrays.fill(name, 0, name.length - 2, (byte) (name.length % 3));
        }
        return name;
    }
}
