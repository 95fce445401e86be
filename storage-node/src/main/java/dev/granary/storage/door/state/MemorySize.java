package dev.granary.storage.door.state;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as Redis's clients write them: {@code 100mb}, {@code 1gb}, {@code 5k}, or a number of bytes. */
final class MemorySize {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})(b|k|kb|m|mb|g|gb)?");

    private MemorySize() {}

    /** Returns the bytes; empty when the text is no size, or one that nobody has. */
    static OptionalLong parse(String text) {
        Matcher parts = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            return OptionalLong.empty();
        }
        long unit =
                switch (parts.group(2) == null ? "b" : parts.group(2)) {
                    case "k" -> 1_000;
                    case "kb" -> 1L << 10;
                    case "m" -> 1_000_000;
                    case "mb" -> 1L << 20;
                    case "g" -> 1_000_000_000;
                    case "gb" -> 1L << 30;
                    default -> 1;
                };
        long count = Long.parseLong(parts.group(1));
        return count > Long.MAX_VALUE / unit ? OptionalLong.empty() : OptionalLong.of(count * unit);
    }
}
