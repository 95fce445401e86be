package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.command.Answers;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandErrors;
import dev.granary.resp.command.CommandGolden;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same to a redis-server 7.0 and to this module. It needs one: {@code libs/resp/compare-with-redis}. */
class RedisComparison {

    /** Redis's own; it has none for a whole request. */
    private static final RequestLimits LIMITS =
            new RequestLimits(Integer.MAX_VALUE, 512 << 20, 1 << 30, 64 << 10, 10, 16 << 10);

    private static final CommandTable TABLE = CommandTable.redis();

    @TempDir
    static Path folder;

    private static RealRedis redis;

    @BeforeAll
    static void start() throws Exception {
        redis = new RealRedis(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        redis.close();
    }

    @Test
    void rulesOfAccess_random_allowAndAreRefusedAsByRedis() throws Exception {
        RulesComparison.run(redis, 20_261_127, Integer.getInteger("granary.resp.seeds", 3_000) / 3);
    }

    @Test
    void requests_ofManyKinds_areReadAndRefusedAsByRedis() throws Exception {
        String long1 = "a".repeat(65_600);
        List<String> inputs = List.of(
                "NOP a b\r\n",
                "nop\n",
                "\r\n\r\nNOP\r\n",
                "  NOP \t x  \r\n",
                "NOP \"a b\" 'c d'\r\n",
                "NOP \"a\"b\r\n",
                "NOP a\"b c\"\r\n",
                "NOP \"a\r\n",
                "NOP 'a\r\n",
                "NOP 'it\\'s' \"q\\\"q\" \"\\x41\\n\\z\"\r\n",
                "NOP \"\\x4\" \"\\xzz\"\r\n",
                "NOP \"a\\\r\n",
                "NOP a\rb\r\n",
                "NOP a\u000bb \u000b c\r\n",
                "NOP a\0b\r\n",
                "\0\r\n",
                "NOP \"\" ''\r\n",
                "*0\r\nNOP\r\n",
                "*-1\r\nNOP\r\n",
                "*-10\r\nNOP\r\n",
                "*\r\n",
                "*abc\r\n",
                "*+1\r\n",
                "*01\r\n",
                "* 1\r\n",
                "*2147483648\r\n",
                "*3000000000\r\n",
                "*9223372036854775808\r\n",
                "*-9223372036854775808\r\nNOP\r\n",
                "*-9223372036854775809\r\n",
                "*1\r\n",
                "*1\r",
                "*1\rx$3\rxNOPxx",
                "*1\r\n+3\r\nNOP\r\n",
                "*1\r\n\n3\r\n",
                "*1\r\n\0" + "3\r\n",
                "*1\r\n$-1\r\n",
                "*1\r\n$\r\n",
                "*1\r\n$abc\r\n",
                "*1\r\n$00\r\n",
                "*1\r\n$0\r\n\r\n",
                "*1\r\n$536870913\r\n",
                "*1\r\n$3\r\nNOPxxNOP\r\n",
                "*11\r\n",
                "*10\r\n",
                "*11\r\n$3\r\nNOP\r\n" + "$1\r\na\r\n".repeat(10),
                "*2\r\n$3\r\nNOP\r\n$16385\r\n",
                "*2\r\n$3\r\nNOP\r\n$16384\r\n",
                long1,
                "*" + long1,
                "*1\r\n$" + long1,
                "*1\r\n\0" + long1,
                Wire.array("NOP", "a'b", "c\"d", "e\0f", "\r\n", "\u00e9\u00ff"),
                Wire.array("NOP", "v".repeat(300)),
                Wire.array("N".repeat(200), "v".repeat(127), "w", "x"),
                Wire.array("NOP", "v".repeat(125), "wwww", "x"),
                Wire.array("client", "no-such", "a"),
                Wire.array("Client", "\0x"),
                Wire.array("client"),
                Wire.array("command", "no\r\nsuch"),
                Wire.array(""),
                Wire.array("no|such"),
                Wire.array("client|list"));
        for (String input : inputs) {
            compare(Wire.bytes(input), true);
            compare(Wire.bytes(input), false);
        }
        for (long seed = 0; seed < Long.getLong("granary.resp.seeds", 3_000); seed++) {
            byte[] input = DecoderFuzzTest.input(seed);
            String text = Wire.text(Unpooled.wrappedBuffer(input, 3, input.length - 3))
                    .replace("GET", "NOP");
            compare(Wire.bytes(text), seed % 2 == 0);
        }
    }

    private static void compare(byte[] input, boolean authenticated) throws Exception {
        String login = authenticated ? Wire.array("AUTH", RealRedis.PASSWORD) : "";
        byte[] sent = Wire.bytes(login + Wire.text(Unpooled.wrappedBuffer(input)));
        String expected = redis.answer(sent);
        ByteBuf out = Unpooled.buffer();
        ReplyWriter writer = new ReplyWriter(out, Protocol.RESP2);
        if (authenticated) {
            writer.simple("OK");
        }
        try (RequestDecoder decoder =
                new RequestDecoder(LIMITS, Unpooled.buffer().alloc())) {
            decoder.authenticated(authenticated);
            decoder.add(Unpooled.copiedBuffer(input));
            RequestDecoder.Step step;
            while ((step = decoder.next()) == RequestDecoder.Step.REQUEST) {
                Command command = TABLE.find(decoder.request());
                writer.error(
                        command == null
                                ? CommandErrors.unknown(TABLE, decoder.request())
                                : CommandErrors.wrongArity(command));
            }
            if (step == RequestDecoder.Step.REFUSED) {
                writer.error(decoder.refusal());
            }
        }
        assertThat(Wire.text(out))
                .as("to %s, authenticated %s", Arrays.toString(input), authenticated)
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void command_infoAndDocsOfEach_areRedis(Protocol protocol) throws Exception {
        for (Command command : TABLE.commands()) {
            for (String name : Stream.concat(
                            Stream.of(command.name()),
                            command.subcommands().stream().map(Command::name))
                    .toList()) {
                compareCommand(protocol, "COMMAND", "INFO", name);
                compareCommand(protocol, "COMMAND", "DOCS", name);
            }
        }
        compareCommand(protocol, "COMMAND", "INFO", "GET", "no-such", "client|no-such", "a|b|c", "Config|Set");
        compareCommand(protocol, "COMMAND", "DOCS", "GET", "no-such", "GET");
        compareCommand(protocol, "COMMAND", "HELP");
    }

    @Test
    void golden_committed_isWhatRedisTells() throws Exception {
        String[] names = TABLE.commands().stream().map(Command::name).toArray(String[]::new);
        String[] request = Stream.concat(Stream.of("COMMAND", "INFO"), Arrays.stream(names))
                .toArray(String[]::new);
        String reply = redis.replies(Protocol.RESP3, Wire.array(request));
        CommandGolden.compareOrWrite(reply.substring(reply.indexOf("\r\n") + 2));
    }

    private static void compareCommand(Protocol protocol, String... arguments) throws Exception {
        String expected = redis.replies(protocol, Wire.array(arguments));
        assertThat(ReplyText.all(Answers.of(TABLE, protocol, arguments)))
                .as("%s to %s", protocol, List.of(arguments))
                .isEqualTo(ReplyText.all(expected));
    }

    @ParameterizedTest
    @EnumSource
    void command_getKeys_areRedis(Protocol protocol) throws Exception {
        List<String> requests = List.of(
                "GET k",
                "get",
                "GET a b",
                "MSET a 1 b 2",
                "MSET a 1 b",
                "MGET a b c",
                "DEL x",
                "SET k v",
                "SET k v GET",
                "SET k v EX 10 get",
                "SET k v NX",
                "BITOP AND d a b",
                "BITFIELD k GET u8 0",
                "BITFIELD k GET u8 0 SET u8 0 1",
                "BITFIELD k OVERFLOW SAT GET u8 0",
                "BITFIELD k OVERFLOW",
                "BITFIELD k nonsense",
                "BITFIELD k",
                "COPY a b",
                "RENAME a b",
                "LCS a b LEN",
                "OBJECT ENCODING k",
                "OBJECT HELP",
                "MEMORY USAGE k SAMPLES 5",
                "PING",
                "no-such",
                "client|list",
                "CLIENT LIST",
                "WATCH a b",
                "MSETNX a 1",
                "HSET h f v",
                "TOUCH a b",
                "RESTORE k 0 x",
                "config",
                "MEMORY DOCTOR",
                "KEYS *");
        for (String request : requests) {
            for (String subcommand : List.of("GETKEYS", "GETKEYSANDFLAGS")) {
                String[] arguments = Stream.concat(Stream.of("COMMAND", subcommand), Arrays.stream(request.split(" ")))
                        .toArray(String[]::new);
                compareCommand(protocol, arguments);
            }
        }
    }

    @Test
    void command_lists_areRedis() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        List<String> parts =
                List.of("*", "?", "[a-m]", "[^a-m]", "[", "]", "\\*", "\\", "g", "et", "H", "[z-", "[c-a]*", "-", "^");
        for (int i = 0; i < 1_500; i++) {
            StringBuilder pattern = new StringBuilder(random.nextBoolean() ? "*" : "");
            for (int j = random.nextInt(6); j >= 0; j--) {
                pattern.append(parts.get(random.nextInt(parts.size())));
            }
            compareLists("COMMAND", "LIST", "FILTERBY", "PATTERN", pattern.toString());
        }
        compareLists("COMMAND", "LIST");
        for (String category : List.of("string", "READ", "keyspace", "no-such", "dangerous")) {
            compareLists("COMMAND", "LIST", "filterby", "aclcat", category);
        }
        compareLists("COMMAND", "LIST", "FILTERBY", "MODULE", "m");
        compareCommand(Protocol.RESP2, "COMMAND", "LIST", "FILTERBY", "x", "y");
        compareCommand(Protocol.RESP2, "COMMAND", "LIST", "x");
    }

    private static void compareLists(String... arguments) throws Exception {
        assertThat(names(Answers.of(TABLE, Protocol.RESP2, arguments)))
                .as("%s", List.of(arguments))
                .isEqualTo(names(redis.replies(Protocol.RESP2, Wire.array(arguments))));
    }

    /** The names that our table has as well, in one order. */
    private static List<String> names(String reply) {
        return Arrays.stream(reply.split("\r\n"))
                .filter(line -> TABLE.find(line) != null)
                .sorted()
                .toList();
    }

    @Test
    void arguments_tooFew_areRefusedAsByRedis() throws Exception {
        for (Command command : TABLE.commands()) {
            for (Command each : Stream.concat(Stream.of(command), command.subcommands().stream())
                    .toList()) {
                String[] name = each.name().split("\\|");
                if (!each.takes(name.length)) {
                    compareCommand(Protocol.RESP2, name);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void replies_ofEachType_areRedis(Protocol protocol) throws Exception {
        assertThat(debug(protocol, "string")).isEqualTo(written(protocol, out -> out.bulk("Hello World")));
        assertThat(debug(protocol, "integer")).isEqualTo(written(protocol, out -> out.integer(12345)));
        assertThat(debug(protocol, "double")).isEqualTo(written(protocol, out -> out.real(3.141)));
        assertThat(debug(protocol, "null")).isEqualTo(written(protocol, ReplyWriter::nothing));
        assertThat(debug(protocol, "array")).isEqualTo(written(protocol, out -> three(out::array, out)));
        assertThat(debug(protocol, "set")).isEqualTo(written(protocol, out -> three(out::set, out)));
        assertThat(debug(protocol, "map")).isEqualTo(written(protocol, out -> {
            out.map(3);
            for (int i = 0; i < 3; i++) {
                out.integer(i);
                out.bool(i == 1);
            }
        }));
        assertThat(debug(protocol, "true")).isEqualTo(written(protocol, out -> out.bool(true)));
        assertThat(debug(protocol, "false")).isEqualTo(written(protocol, out -> out.bool(false)));
        assertThat(debug(protocol, "bignum"))
                .isEqualTo(written(protocol, out -> out.big("1234567999999999999999999999999999999")));
        assertThat(debug(protocol, "verbatim"))
                .isEqualTo(written(protocol, out -> out.verbatim("txt", Wire.bytes("This is a verbatim\nstring"))));
    }

    private static void three(IntConsumer head, ReplyWriter out) {
        head.accept(3);
        for (int i = 0; i < 3; i++) {
            out.integer(i);
        }
    }

    private static String debug(Protocol protocol, String type) throws Exception {
        return redis.replies(protocol, Wire.array("DEBUG", "PROTOCOL", type));
    }

    private static String written(Protocol protocol, Consumer<ReplyWriter> reply) {
        ByteBuf out = Unpooled.buffer();
        reply.accept(new ReplyWriter(out, protocol));
        return Wire.text(out);
    }
}
