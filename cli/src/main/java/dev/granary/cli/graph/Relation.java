package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * One name in a relation field of a package, with its versions: {@code libc6 (>= 2.34)}.
 *
 * <p>Grammar of a field (Debian Policy Manual, chapter 7): clauses separated by commas, all of which hold; a clause is
 * alternatives separated by bars, one of which holds; an alternative is
 * {@code name[:architecture] [(operator version)]}. The architecture qualifier is read and dropped, because the
 * snapshot holds one architecture.
 *
 * @param name the real or virtual package
 * @param operator {@code <<}, {@code <=}, {@code =}, {@code >=}, {@code >>}, or empty for "any version"
 * @param version the version to compare with, empty with an empty operator
 */
record Relation(String name, String operator, String version) {

    /**
     * Parses a whole field.
     *
     * @return the clauses, each with its alternatives, in their order
     * @throws SnapshotException when the text does not follow the grammar
     */
    static List<List<Relation>> parseField(String field) {
        List<List<Relation>> clauses = new ArrayList<>();
        for (String clause : split(field, ',')) {
            List<Relation> alternatives = new ArrayList<>();
            for (String alternative : split(clause, '|')) {
                alternatives.add(parse(alternative));
            }
            clauses.add(List.copyOf(alternatives));
        }
        return List.copyOf(clauses);
    }

    /** Whether this relation includes {@code candidate}, a version of the package {@link #name}. */
    boolean admits(String candidate) {
        if (operator.isEmpty()) {
            return true;
        }
        int order = DebianVersion.compare(candidate, version);
        return switch (operator) {
            case "<<" -> order < 0;
            case "<=" -> order <= 0;
            case "=" -> order == 0;
            case ">=" -> order >= 0;
            case ">>" -> order > 0;
            default -> throw new IllegalStateException("operator " + operator);
        };
    }

    private static Relation parse(String text) {
        int bracket = text.indexOf('(');
        String qualified = (bracket < 0 ? text : text.substring(0, bracket)).strip();
        int colon = qualified.indexOf(':');
        String name = colon < 0 ? qualified : qualified.substring(0, colon);
        if (name.isEmpty() || name.indexOf(' ') >= 0) {
            throw new SnapshotException("not a relation to a package: '" + text + "'");
        }
        return bracket < 0 ? new Relation(name, "", "") : withConstraint(name, text, bracket);
    }

    private static Relation withConstraint(String name, String text, int bracket) {
        int end = text.indexOf(')', bracket);
        String inside = end < 0 ? "" : text.substring(bracket + 1, end).strip();
        int operatorEnd = 0;
        while (operatorEnd < inside.length() && "<>=".indexOf(inside.charAt(operatorEnd)) >= 0) {
            operatorEnd++;
        }
        String operator = inside.substring(0, operatorEnd);
        String version = inside.substring(operatorEnd).strip();
        String known =
                switch (operator) {
                    case "<<", "<=", "=", ">=", ">>" -> operator;
                    // The two old forms mean "or equal" (Policy 7.1).
                    case "<" -> "<=";
                    case ">" -> ">=";
                    default -> "";
                };
        if (known.isEmpty() || version.isEmpty() || !text.substring(end + 1).isBlank()) {
            throw new SnapshotException("not a version constraint: '" + text + "'");
        }
        return new Relation(name, known, version);
    }

    /** The parts between separators, without blank ones. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        while (from <= text.length()) {
            int next = text.indexOf(separator, from);
            int to = next < 0 ? text.length() : next;
            String part = text.substring(from, to).strip();
            if (!part.isEmpty()) {
                parts.add(part);
            }
            from = to + 1;
        }
        return parts;
    }
}
