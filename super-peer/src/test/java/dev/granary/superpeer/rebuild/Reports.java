package dev.granary.superpeer.rebuild;

import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import java.util.List;
import java.util.UUID;

/** What storage peers report when a ring is rebuilt. */
final class Reports {

    private Reports() {}

    /** Returns the holdings of a storage peer in its first incarnation, with LIDs 1 to 99, without names or copies. */
    static Holdings holdings(int nid, HostAddress address, long epoch, long nextCid, CidRange... ranges) {
        return new Holdings(
                LoneNode.CLUSTER,
                nid,
                new UUID(1, nid),
                1,
                epoch,
                1,
                100,
                0,
                0,
                0,
                1,
                List.of(),
                List.of(),
                "p",
                address,
                address,
                1,
                "",
                "",
                List.of(),
                nextCid,
                List.of(ranges),
                null);
    }
}
