package dev.granary.operator.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The secret of a cluster's nodes, and how far a change of it is (ADR 0376). The nodes get the secret in a file. A
 * change gives them three files, one after the other, each by a rolling restart of all pods:
 *
 * <pre>
 *   phase       file      its secrets    a node proves itself by    accepts
 *   STEADY      3n        n              n                          n
 *   ACCEPTING   3n + 1    n, n + 1       n                          both
 *   PROVING     3n + 2    n + 1, n       n + 1                      both
 *   ENDING      3n + 3    n + 1          n + 1                      n + 1
 *   STEADY      3n + 3    n + 1          n + 1                      n + 1       (n grows by one)
 * </pre>
 *
 * <p>Invariant: pods have two neighbouring files at most, so any two know each other. The next phase begins when each
 * pod has the file of the present one.
 *
 * @param number the number of the present secret: how many changes have ended
 * @param phase how far the change to the next one is
 * @param asked the last wish of a person that was followed, {@code null} for none
 * @param wish what a person wishes now, {@code null} for nothing
 */
public record SecretPlan(
        int number,
        Phase phase,
        @Nullable String asked,
        @Nullable String wish) {
    /** How many files a change has. */
    public static final int FILES = 3;

    private static final Pattern RECORD = Pattern.compile("(\\d{1,8}) (\\w+)(?: (.*))?", Pattern.DOTALL);

    /** How far a change is. */
    public enum Phase {
        STEADY("Steady", 0),
        ACCEPTING("Accepting", 1),
        PROVING("Proving", 2),
        ENDING("Ending", FILES);

        private final String text;
        private final int files;

        Phase(String text, int files) {
            this.text = text;
            this.files = files;
        }

        /** Returns its name in a status. */
        public String text() {
            return text;
        }
    }

    /**
     * Returns the secret of a cluster.
     *
     * @param record what {@link #toRecord} returned last, {@code null} when there is none
     * @param wish what a person wishes now, {@code null} for nothing
     * @param exists whether the cluster has pods; a wish that is as old as the cluster is no wish for a change
     * @throws InvalidSpecException when the record is none
     */
    static SecretPlan of(@Nullable String record, @Nullable String wish, boolean exists) {
        if (record == null) {
            return new SecretPlan(0, Phase.STEADY, exists ? null : wish, wish);
        }
        Matcher matcher = RECORD.matcher(record);
        Phase phase = matcher.matches() ? phase(matcher.group(2)) : null;
        if (phase == null) {
            throw new InvalidSpecException("the annotation " + Names.SECRET_ANNOTATION + " of a StatefulSet is '"
                    + record + "', which the operator has not written. Remove it from both; the status has it, too");
        }
        return new SecretPlan(Integer.parseInt(matcher.group(1)), phase, matcher.group(3), wish);
    }

    private static @Nullable Phase phase(String text) {
        return Arrays.stream(Phase.values())
                .filter(phase -> phase.text.equals(text))
                .findFirst()
                .orElse(null);
    }

    /** Returns the record that is further, {@code null} when both are. Two StatefulSets are not written at once. */
    public static @Nullable String further(@Nullable String record, @Nullable String other) {
        if (record == null || other == null) {
            return record == null ? other : record;
        }
        Comparator<SecretPlan> byProgress =
                Comparator.comparing(SecretPlan::number).thenComparing(SecretPlan::phase);
        return byProgress.compare(of(record, null, true), of(other, null, true)) < 0 ? other : record;
    }

    /** Returns what {@link #of} reads. */
    public String toRecord() {
        return number + " " + phase.text + (asked == null ? "" : " " + asked);
    }

    /** Whether nothing was ever changed or asked for, so that there is nothing to record. */
    public boolean isInitial() {
        return number == 0 && phase == Phase.STEADY && asked == null;
    }

    /** Returns the number of the file that pods with the newest template have. */
    public int file() {
        return FILES * number + phase.files;
    }

    /** Whether a person has asked for another change than the last one. */
    public boolean isAsked() {
        return wish != null && !wish.equals(asked);
    }

    /** Whether there is another phase to come. */
    public boolean isChanging() {
        return phase != Phase.STEADY || isAsked();
    }

    /** Returns this in the next phase. A wish that comes after the first one of a change waits for the end of it. */
    public SecretPlan next() {
        return switch (phase) {
            case STEADY -> new SecretPlan(number, Phase.ACCEPTING, wish, wish);
            case ACCEPTING -> new SecretPlan(number, Phase.PROVING, asked, wish);
            case PROVING -> new SecretPlan(number, Phase.ENDING, asked, wish);
            case ENDING -> new SecretPlan(number + 1, Phase.STEADY, asked, wish);
        };
    }
}
