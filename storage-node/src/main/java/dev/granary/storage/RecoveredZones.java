package dev.granary.storage;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.recover.ZoneTaker;
import dev.granary.storage.replicate.Replication;
import dev.granary.storage.replicate.ZoneGrant;
import java.util.List;

/** Takes zones of others that were recovered here: they are replicated from then on. */
record RecoveredZones(Replication replication, Migrations migrations) implements ZoneTaker {

    @Override
    public void take(Placement placement, List<CidRange> ranges, long lastSequence, boolean membersKnow) {
        replication.add(new ZoneGrant(placement, ranges, lastSequence, membersKnow, false));
    }

    @Override
    public void returned(long startCid, long endCidInclusive) {
        migrations.returned(startCid, endCidInclusive);
    }
}
