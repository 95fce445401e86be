package dev.granary.keyed.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.LocalKeys;
import dev.granary.resp.Protocol;
import dev.granary.resp.command.Command;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares all commands with a real redis-server: random requests to both, and the replies must be equal. {@code
 * libs/keyed/compare-with-redis} runs it. {@code -Dgranary.keyed.seed=7} repeats one seed.
 */
class KeyedComparison {

    private static final int REQUESTS = 2_000;
    private static final int BATCH = 250;
    private static final int MOST_SHOWN = 6;
    private static final int MOST_EARLIER = 12;
    private static final int MOST_CHARACTERS = 600;

    /** Replies whose elements have no order. */
    private static final Set<String> UNORDERED = Set.of("hkeys", "hvals", "keys", "scan");

    private static final Set<String> UNORDERED_PAIRS = Set.of("hgetall", "hscan");

    /** Replies that depend on chance, on how a value came about, or on when Redis removes what has expired. */
    private static final Set<String> SHAPE = Set.of(
            "dbsize",
            "dump",
            "randomkey",
            "hrandfield",
            "memory|usage",
            "object|encoding",
            "object|refcount",
            "object|idletime");

    /** Replies that depend on the clock. */
    private static final Set<String> NEAR = Set.of("ttl", "pttl", "expiretime", "pexpiretime");

    private static List<String> commands() {
        LocalKeys local = new LocalKeys(Protocol.RESP2);
        return LocalKeys.TABLE.commands().stream()
                .flatMap(command -> Stream.concat(Stream.of(command), command.subcommands().stream()))
                .map(Command::name)
                .filter(local::has)
                .toList();
    }

    @Test
    void requests_ofEachCommand_areAmongTheRandomOnes() {
        assertThat(commands()).allMatch(RandomRequests::knows);
    }

    @ParameterizedTest
    @EnumSource
    void requests_atRandom_areAnsweredAsByRedis(Protocol protocol) throws Exception {
        long first = Long.getLong("granary.keyed.seed", System.nanoTime() & 0xffffff);
        int seeds = Long.getLong("granary.keyed.seed") == null ? Integer.getInteger("granary.keyed.seeds", 50) : 1;
        System.out.println(protocol + ": " + seeds + " seeds from " + first);
        List<String> differences = new ArrayList<>();
        long begin = System.nanoTime();
        try (RedisConnection redis = new RedisConnection(protocol)) {
            for (long seed = first; seed < first + seeds; seed++) {
                compare(seed, protocol, redis, differences);
            }
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        System.out.println(protocol + ": " + seeds * REQUESTS + " random requests in " + millis + " ms");
        assertThat(differences.stream().limit(MOST_SHOWN)).isEmpty();
    }

    /** Goes on until the first difference: what follows one is often due to it. */
    private static void compare(long seed, Protocol protocol, RedisConnection redis, List<String> differences)
            throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        RandomRequests requests = new RandomRequests(random, commands(), seed % 8 == 0 ? 700 : 20);
        LocalKeys local = new LocalKeys(protocol);
        redis.answers(List.of(LocalKeys.request("FLUSHALL")));
        for (int batch = 0; batch < REQUESTS / BATCH; batch++) {
            List<String[]> asked = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                asked.add(requests.next());
            }
            asked.addAll(RandomRequests.reads());
            List<byte[]> sent = asked.stream().map(LocalKeys::request).toList();
            local.keys().nowMillis(System.currentTimeMillis());
            List<Reply> expected = redis.answers(sent);
            for (int i = 0; i < sent.size(); i++) {
                byte[] bytes = local.answerAll(sent.get(i));
                Reply reply = Reply.read(bytes, 0, bytes.length);
                if (reply == null
                        || reply.end() != bytes.length
                        || !equal(asked.get(i), expected.get(i), reply, i >= BATCH)) {
                    differences.add("seed " + seed + " " + protocol + ", request " + (batch * asked.size() + i) + ": "
                            + shown(Arrays.toString(asked.get(i)))
                            + "\n  Redis " + shown(expected.get(i).exact())
                            + "\n  here  " + shown(reply == null ? "no reply" : reply.exact())
                            + earlier(asked.subList(0, i + 1)));
                    return;
                }
            }
        }
    }

    /** Returns the latest requests of the same batch that name a key of the last one. */
    private static String earlier(List<String[]> asked) {
        List<String> last = Arrays.asList(asked.getLast()).subList(1, asked.getLast().length);
        List<String[]> related = asked.subList(0, asked.size() - 1).stream()
                .filter(request -> Arrays.stream(request).skip(1).anyMatch(last::contains))
                .toList();
        return related.subList(Math.max(0, related.size() - MOST_EARLIER), related.size()).stream()
                .map(request -> "\n  before " + shown(Arrays.toString(request)))
                .collect(Collectors.joining());
    }

    private static boolean equal(String[] request, Reply expected, Reply actual, boolean reads) {
        String name = request[0].toLowerCase(Locale.ROOT);
        if (request.length > 1 && (name.equals("object") || name.equals("memory"))) {
            name += "|" + request[1].toLowerCase(Locale.ROOT);
        }
        if (UNORDERED.contains(name) || UNORDERED_PAIRS.contains(name)) {
            boolean pairs = UNORDERED_PAIRS.contains(name);
            return expected.unordered(pairs).equals(actual.unordered(pairs));
        }
        if (SHAPE.contains(name) && !reads) {
            return expected.shape().equals(actual.shape());
        }
        if (name.equals("lcs") && actual.text().startsWith("ERR Insufficient memory")) {
            return true; // A table of Redis may take 64 times as much.
        }
        return NEAR.contains(name) ? expected.isNear(actual) : expected.exact().equals(actual.exact());
    }

    private static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < Math.min(MOST_CHARACTERS, text.length()); i++) {
            char next = text.charAt(i);
            shown.append(next < ' ' || next > '~' ? "\\x%02x".formatted((int) next) : String.valueOf(next));
        }
        return shown.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "9999",
                "10000",
                "-1",
                "9223372036854775807",
                "9223372036854775808",
                "007",
                "text",
                "",
                "12345678901234567890123456789012345678901234",
                "123456789012345678901234567890123456789012345"
            })
    void encoding_ofValueJustSet_isThatOfRedis(String value) throws Exception {
        compareEncoding(List.<String[]>of(new String[] {"set", "k", value}));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512, 513})
    void encoding_ofHashJustSet_isThatOfRedis(int fields) throws Exception {
        for (int longest : new int[] {64, 65}) {
            List<String[]> requests = new ArrayList<>();
            for (int i = 0; i < fields; i++) {
                requests.add(new String[] {"hset", "k", "f" + i, "v".repeat(longest)});
            }
            compareEncoding(requests);
        }
    }

    private static void compareEncoding(List<String[]> requests) throws Exception {
        List<String[]> all = new ArrayList<>(requests);
        all.addFirst(new String[] {"flushall"});
        all.add(new String[] {"object", "encoding", "k"});
        all.add(new String[] {"object", "refcount", "k"});
        LocalKeys local = new LocalKeys(Protocol.RESP2);
        try (RedisConnection redis = new RedisConnection(Protocol.RESP2)) {
            List<Reply> expected =
                    redis.answers(all.stream().map(LocalKeys::request).toList());
            for (int i = 0; i < all.size(); i++) {
                byte[] bytes = local.answerAll(LocalKeys.request(all.get(i)));
                Reply reply = Reply.of(bytes);
                assertThat(reply.exact())
                        .as(Arrays.toString(all.get(i)))
                        .isEqualTo(expected.get(i).exact());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"12", "-129", "40000", "text", "", "long long long long long long long long long long"})
    void dump_restoredByRedis_isTheSameValue(String value) throws Exception {
        LocalKeys local = new LocalKeys(Protocol.RESP2);
        local.answer("set", "s", value);
        local.answer("hset", "h", value, "1", "f", value + value, "g", value);
        try (RedisConnection redis = new RedisConnection(Protocol.RESP2)) {
            redis.answers(List.of(LocalKeys.request("flushall")));
            for (String[] read : List.of(new String[] {"get", "s"}, new String[] {"hgetall", "h"})) {
                byte[] dump = local.answerAll(LocalKeys.request("dump", read[1]));
                String payload = Reply.of(dump).text();
                List<Reply> replies = redis.answers(
                        List.of(LocalKeys.request("restore", read[1], "0", payload), LocalKeys.request(read)));
                assertThat(replies.getFirst().exact()).isEqualTo("+OK()");
                byte[] here = local.answerAll(LocalKeys.request(read));
                assertThat(replies.getLast().unordered(true))
                        .isEqualTo(Reply.of(here).unordered(true));
            }
        }
    }
}
