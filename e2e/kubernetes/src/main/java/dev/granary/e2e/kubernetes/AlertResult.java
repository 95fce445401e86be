package dev.granary.e2e.kubernetes;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether an alert was seen to fire by its fault, and to go after it.
 *
 * @param alert its name
 * @param fault what was done
 * @param firedSeconds from the beginning of the fault until it fired, null when it did not
 * @param goneSeconds from the end of the fault until it did not fire any more, null when it went on
 * @param notProvoked why no fault provokes it here, null for those that one does
 */
record AlertResult(
        String alert,
        String fault,
        @Nullable Double firedSeconds,
        @Nullable Double goneSeconds,
        @Nullable String notProvoked) {

    /** Returns the result for an alert that no fault of these tests provokes. */
    static AlertResult notProvoked(String alert, String why) {
        return new AlertResult(alert, "", null, null, why);
    }

    private boolean hasPassed() {
        return firedSeconds != null && goneSeconds != null;
    }

    /** Returns a table of results, and below it how many alerts were seen, failed, and were not provoked. */
    static String table(List<AlertResult> results) {
        StringBuilder text = new StringBuilder(row("alert", "fired, s", "went, s", "fault"));
        for (AlertResult result : results) {
            text.append(row(
                    result.alert(),
                    seconds(result.firedSeconds()),
                    seconds(result.goneSeconds()),
                    result.notProvoked() == null ? result.fault() : "not provoked: " + result.notProvoked()));
        }
        long passed = results.stream().filter(AlertResult::hasPassed).count();
        long skipped = countNotProvoked(results);
        return text.append("%d alerts fired and went, %d did not, %d were not provoked%n"
                        .formatted(passed, results.size() - passed - skipped, skipped))
                .toString();
    }

    /** Returns how many alerts no fault provoked. */
    static long countNotProvoked(List<AlertResult> results) {
        return results.stream().filter(result -> result.notProvoked() != null).count();
    }

    private static String row(String alert, String fired, String gone, String fault) {
        return "%-32s %9s %9s  %s%n".formatted(alert, fired, gone, fault);
    }

    private static String seconds(@Nullable Double seconds) {
        return seconds == null ? "-" : String.format(Locale.ROOT, "%.1f", seconds);
    }
}
