package dev.granary.cli.keys;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses how long a key lives: a whole number with a unit, such as {@code 30s}. */
public final class LifetimeConverter implements ITypeConverter<Duration> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text
                    + "' is no duration; write a whole number and ms, s, m, h or d," + " such as 30s or 12h");
        }
        Duration unit = UNITS.getOrDefault(matcher.group(2), Duration.ZERO);
        return unit.multipliedBy(Long.parseLong(matcher.group(1)));
    }
}
