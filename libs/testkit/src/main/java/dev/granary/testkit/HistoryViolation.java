package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.List;
import java.util.stream.Collectors;

/** No order of the operations on a chunk explains what the clients saw. */
public final class HistoryViolation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HistoryViolation(long cid, String problem, List<Operation> operations) {
        super("chunk " + Cid.toHex(cid) + ": " + problem + "\n  "
                + operations.stream().map(Operation::toString).collect(Collectors.joining("\n  ")));
    }
}
