package dev.granary.bench.compare.report;

import java.util.List;
import java.util.Locale;

/** Numbers and tables of a page. */
final class Texts {

    private static final int COLUMNS = 120;

    private Texts() {}

    /** A number of things. */
    static String count(double number) {
        return Double.isNaN(number) ? "–" : String.format(Locale.ROOT, "%,.0f", number);
    }

    /** Microseconds, with a digit behind the point below 100. */
    static String micros(double number) {
        if (Double.isNaN(number)) {
            return "–";
        }
        return String.format(Locale.ROOT, number < 100 ? "%.1f" : "%,.0f", number);
    }

    /** A ratio. */
    static String ratio(double number) {
        return Double.isNaN(number) ? "–" : String.format(Locale.ROOT, "%.2f", number);
    }

    /** A row of a table. */
    static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    /** The first two lines of a table. */
    static String head(List<String> cells) {
        return row(cells) + "|" + "---|".repeat(cells.size()) + "\n";
    }

    /** A paragraph, broken into lines. */
    static String paragraph(String text) {
        StringBuilder lines = new StringBuilder();
        int column = 0;
        for (String word : text.strip().split("\\s+", -1)) {
            if (column > 0 && column + 1 + word.length() > COLUMNS) {
                lines.append('\n');
                column = 0;
            }
            if (column > 0) {
                lines.append(' ');
                column++;
            }
            lines.append(word);
            column += word.length();
        }
        return lines + "\n";
    }
}
