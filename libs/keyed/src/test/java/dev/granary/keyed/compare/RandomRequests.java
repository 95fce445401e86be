package dev.granary.keyed.compare;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Requests by chance: most of them can be carried out, some have an argument too many, too few or a strange one. */
final class RandomRequests {

    private static final Map<String, String> TEMPLATES = Templates.all();

    private static final List<String> NUMBERS = List.of(
            "0",
            "1",
            "-1",
            "2",
            "7",
            "10",
            "100",
            "-5",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "4611686018427387904",
            "01",
            "+1",
            " 1",
            "1 ",
            "",
            "x",
            "1.0");
    private static final List<String> FRACTIONS = List.of(
            "0",
            "1",
            "-1",
            "0.1",
            "0.2",
            "3.14",
            "-0.3",
            "1e3",
            "5e-5",
            "1e-17",
            "1e17",
            "+1.5",
            ".5",
            "5.",
            "0x1p3",
            "0x.8",
            "inf",
            "-inf",
            "nan",
            "1e400",
            "1e4932",
            "-1.1e4932",
            "1e4933",
            "1e-4940",
            "1e-4960",
            "1e-5000",
            "",
            "x",
            " 1",
            "1 ",
            "123456789.123456789",
            "99999999999999999999",
            "1.7976931348623157e308");
    private static final List<String> STRANGE_TIMES = List.of(
            "0",
            "-1",
            "x",
            "",
            "1.5",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854776",
            "9223372036854775",
            "99999999999999999999",
            "1600000000");

    /** What takes the place of other arguments. No small numbers: as times to live they would be over too soon. */
    private static final List<String> STRANGE = List.of(
            "0", "-1", "x", "", "9223372036854775807", "9223372036854775808", "NX", "get", "*", "\0", "1.5", "-inf");

    private static final List<String> FIELD_TYPES = List.of(
            "u1", "u2", "u8", "u16", "u31", "u32", "u63", "u64", "i1", "i2", "i8", "i13", "i32", "i63", "i64", "i65",
            "u0", "x8", "u", "i8x");
    private static final List<String> PATTERNS =
            List.of("*", "s*", "h*", "?1", "[sh]2", "*[0-4]", "f1*", "\\*", "", "[^s]*", "nobody", "*\r\n*");

    /** What redis-server 7.0.15 answered to DUMP of strings and of hashes; the last one is damaged. */
    private static final List<String> DUMPS = Stream.of(
                    "000568656c6c6f0a006372df766534200a",
                    "00c139300a009d94ea2793fc08b9",
                    "00c3094064016161e057000161610a00e8a3b507b06df271",
                    "10c34040407d1f7d0000000e00816602817602826631030c018001f27929ed048362696704f4ff8000077f09817302e0"
                            + "4078e036000f42816e02dffd02816d02f270110104ff0a009c8c5d558aced05c",
                    "0402026632c007026631c3094041017676e034000176760a007f43e513c8ee4fce",
                    "0402026632c007026631c3094041017676e034000176760a007f43e513c8ee4fcf")
            .map(hex -> new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1))
            .toList();

    private final SplittableRandom random;
    private final List<String> commands;
    private final int fields;
    private int times;

    /**
     * Requests for some commands.
     *
     * @param fields how many names of fields there are
     */
    RandomRequests(SplittableRandom random, List<String> commands, int fields) {
        this.random = random;
        this.commands = commands;
        this.fields = fields;
    }

    /** Returns whether there is a template for a command. */
    static boolean knows(String command) {
        return TEMPLATES.containsKey(command);
    }

    /** Returns requests that read every key, and count them. */
    static List<String[]> reads() {
        List<String[]> reads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            for (String key : List.of(key('s', i), key('h', i))) {
                reads.add(new String[] {"get", key});
                reads.add(new String[] {"hgetall", key});
            }
        }
        // Redis has removed all that has expired by now.
        reads.add(new String[] {"dbsize"});
        return reads;
    }

    String[] next() {
        String name = commands.get(random.nextInt(commands.size()));
        if (name.startsWith("flush") && random.nextInt(20) != 0) {
            name = "get";
        }
        List<String> arguments = new ArrayList<>(Arrays.asList(name.split("\\|", -1)));
        for (String part : String.valueOf(TEMPLATES.get(name)).split(" ", -1)) {
            fill(part, arguments);
        }
        if (random.nextInt(25) == 0) {
            damage(arguments);
        }
        if (random.nextInt(3) == 0) {
            arguments.set(0, arguments.getFirst().toUpperCase(Locale.ROOT));
        }
        return arguments.toArray(String[]::new);
    }

    private void damage(List<String> arguments) {
        int at = 1 + random.nextInt(arguments.size());
        switch (random.nextInt(3)) {
            case 0 -> arguments.add(at, pick(STRANGE));
            case 1 -> {
                if (at < arguments.size()) {
                    arguments.remove(at);
                }
            }
            default -> {
                if (at < arguments.size() && !arguments.contains("COUNT") && !arguments.contains("count")) {
                    arguments.set(at, pick(STRANGE));
                }
            }
        }
    }

    private void fill(String part, List<String> arguments) {
        if (part.isEmpty()) {
            return;
        }
        if (part.startsWith("?")) {
            if (random.nextInt(4) == 0) {
                words(part.substring(1), arguments);
            }
        } else if (part.startsWith("*")) {
            boolean once = part.startsWith("*1");
            String[] choices = part.substring(once ? 2 : 1).split("\\|", -1);
            int most = fields > 100 ? 40 : 3;
            for (int i = once ? 0 : random.nextInt(most); i >= 0; i--) {
                words(choices[random.nextInt(choices.length)], arguments);
            }
        } else {
            words(part, arguments);
        }
    }

    private void words(String words, List<String> arguments) {
        for (String word : words.split(":", -1)) {
            arguments.add(word(word));
        }
    }

    private String word(String word) {
        return switch (word) {
            case "S" -> key(random.nextInt(12) == 0 ? 'h' : 's', random.nextInt(8));
            case "H" -> key(random.nextInt(12) == 0 ? 's' : 'h', random.nextInt(8));
            case "A" -> key(random.nextBoolean() ? 'h' : 's', random.nextInt(8));
            case "V" -> value();
            case "F" -> field();
            case "I" -> random.nextBoolean() ? Integer.toString(random.nextInt(-20, 20)) : pick(NUMBERS);
            // Redis saturates lower numbers to the largest one, because a sum wraps.
            case "L" -> word("I").replace(Long.toString(Long.MIN_VALUE), "-4611686018427387904");
            case "X" -> random.nextBoolean() ? random.nextInt(-999, 999) / 8.0 + "" : pick(FRACTIONS);
            case "O" -> offset();
            case "B" -> random.nextInt(10) == 0 ? pick(NUMBERS) : Integer.toString(random.nextInt(2));
            case "T" -> strange(time());
            case "M" -> strange(1_000L * time());
            case "E" -> strange(4_102_444_800L + time());
            case "N" -> strange(1_000L * (4_102_444_800L + time()));
            case "Y" -> pick(FIELD_TYPES);
            case "R" -> random.nextInt(10) == 0 ? pick(NUMBERS) : Integer.toString(random.nextInt(-9, 9));
            case "C" -> random.nextInt(8) == 0 ? pick(List.of("x", "", "00", "18446744073709551616", "1x")) : "0";
            case "G" -> pick(PATTERNS);
            case "D" -> pick(DUMPS);
            default -> random.nextBoolean() ? word : word.toLowerCase(Locale.ROOT);
        };
    }

    /** Times differ by minutes, so that it does not matter by how little clocks do. */
    private long time() {
        times++;
        return 10_000 + 100L * (times * 7_919L % 10_007);
    }

    private String strange(long time) {
        return random.nextInt(8) == 0 ? pick(STRANGE_TIMES) : Long.toString(time);
    }

    private String offset() {
        return switch (random.nextInt(12)) {
            case 0 ->
                pick(List.of("x", "", "-9223372036854775808", "9223372036854775807", "4294967296", "#1", "#x", "#"));
            case 1 -> Integer.toString(random.nextInt(2_000));
            case 2 -> "#" + random.nextInt(9);
            case 3, 4 -> Integer.toString(-random.nextInt(20));
            default -> Integer.toString(random.nextInt(60));
        };
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static String key(char kind, int number) {
        return switch (number) {
            case 0 -> kind + "\0\r\n\u00ff";
            case 1 -> kind == 's' ? "" : "h1";
            default -> kind + "" + number;
        };
    }

    private String field() {
        int number = random.nextInt(fields);
        return switch (number % 16) {
            case 3 -> "f\0\u00fe" + number;
            case 4 -> number == 4 ? "" : Integer.toString(number);
            case 5 -> random.nextInt(20) == 0 ? "f" + "g".repeat(64) + number : "f" + number;
            default -> "f" + number;
        };
    }

    private String value() {
        return switch (random.nextInt(10)) {
            case 0 -> pick(NUMBERS);
            case 1 -> pick(FRACTIONS);
            case 2, 3 -> Integer.toString(random.nextInt(-1_000, 20_000));
            case 4 -> "";
            case 5 -> "ab".repeat(random.nextInt(30)) + random.nextInt(9);
            case 6 -> random.nextInt(10) == 0 ? "long".repeat(100 + random.nextInt(400)) : "long value";
            default -> bytes(random.nextInt(24));
        };
    }

    private String bytes(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (random.nextBoolean() ? 'a' + random.nextInt(4) : random.nextInt(256)));
        }
        return text.toString();
    }
}
