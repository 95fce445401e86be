package dev.granary.e2e.kubernetes.prometheus;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The selectors within a PromQL expression: {@code metric} or {@code metric{label="value"}}, without ranges and
 * functions.
 */
public final class PromqlSelectors {

    /**
     * Matches what holds no selector (a text in quotes, a range, a number), a name with its braces, or a function's
     * name.
     */
    private static final Pattern TOKEN = Pattern.compile(
            "\"[^\"]*\"|\\[[^\\]]*]|[0-9][0-9a-zA-Z.]*" + "|([a-zA-Z_:][a-zA-Z0-9_:]*)(\\s*\\{[^}]*})?(\\s*\\()?");

    private static final Pattern GROUPING =
            Pattern.compile("\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");

    private static final Set<String> WORDS = Set.of(
            "and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right");

    private PromqlSelectors() {}

    /** Returns the selectors in the order in which they appear. */
    public static Set<String> of(String expression) {
        Set<String> selectors = new LinkedHashSet<>();
        // Names in groupings are labels. So are names within the braces of a selector, which TOKEN matches as a whole.
        Matcher matcher = TOKEN.matcher(GROUPING.matcher(expression).replaceAll(" "));
        while (matcher.find()) {
            String name = matcher.group(1);
            boolean isFunction = matcher.group(3) != null;
            if (name != null && !isFunction && !WORDS.contains(name)) {
                selectors.add(
                        name + (matcher.group(2) == null ? "" : matcher.group(2).strip()));
            }
        }
        return selectors;
    }
}
