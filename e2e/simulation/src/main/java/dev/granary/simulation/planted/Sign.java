package dev.granary.simulation.planted;

import dev.granary.simulation.SeedResult;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** How a planted bug shows. For the signs that clients see, a cluster that only stands still does not count. */
enum Sign {
    /** A client has seen what no order of the operations explains. */
    HISTORY("chunk .*"),
    /** The same, or storage peers find less at their super-peer than it had promised, and stop. */
    PROMISE_BROKEN("(chunk|name) .*|.*does not become ready again.*"),
    /** The same, or zones have fewer copies than they are to have although nothing is broken. */
    COPIES("chunk .*|copies are missing although nothing is broken.*"),
    /** Nobody serves what is there. */
    NO_ANSWER("chunk .*|gets have no answer although nothing is broken.*"),
    /** Clients wait in vain while there is a majority of super-peers. */
    WAITING("operations without an answer.*"),
    /** What names stood for cannot be explained. */
    NAMES("name .*"),
    /** Somebody changes a chunk whose lock another one has. */
    LOCKS("lock of .*"),
    /** What clients saw of keys cannot be explained, or as for {@link #COPIES}. */
    KEYS("keys .*|copies are missing although nothing is broken.*"),
    /** Processes stand still although nothing is broken any more. */
    STANDSTILL(".*does not become ready.*|.*does not end.*|gets have no answer although nothing is broken.*"),
    SEVERAL_CLUSTERS("there are several clusters.*"),
    ANOTHER_SIZE("the ring (has not|does not come to) .*");

    private final Pattern message;

    Sign(String message) {
        this.message = Pattern.compile(message, Pattern.DOTALL);
    }

    /** Returns what a run shows of it; empty when it shows nothing. */
    Optional<String> in(SeedResult result) {
        Optional<String> problem =
                result.violation().isEmpty() && this == WAITING ? waitingIn(result) : result.violation();
        return problem.filter(text -> message.matcher(text).matches());
    }

    private static Optional<String> waitingIn(SeedResult result) {
        List<String> unanswered = result.outcomes().keySet().stream()
                .filter(outcome -> outcome.endsWith(" UNKNOWN"))
                .toList();
        return unanswered.isEmpty() ? Optional.empty() : Optional.of("operations without an answer: " + unanswered);
    }
}
