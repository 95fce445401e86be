package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** No order of the operations on a chunk explains what the clients saw. */
public final class HistoryViolation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HistoryViolation(long cid, String problem, List<Operation> operations, List<Operation> related) {
        super("chunk " + Cid.toHex(cid) + ": " + problem + lines(operations)
                + (related.isEmpty() ? "" : "\nvalues that were read here were written elsewhere:" + lines(related)));
    }

    private static String lines(List<Operation> operations) {
        return operations.stream()
                .sorted(Comparator.comparingLong(Operation::beganAt))
                .map(operation -> "\n  " + operation)
                .collect(Collectors.joining());
    }
}
