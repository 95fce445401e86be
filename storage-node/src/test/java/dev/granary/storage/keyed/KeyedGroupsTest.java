package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.RawClient;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link KeyedGroups} while a slot group leaves its owner and comes back. */
class KeyedGroupsTest {

    private static final int GROUP = KeyedPeer.GROUP_NID;
    private static final long FIRST = Cid.firstOf(GROUP);

    private final KeyedPeer peer = new KeyedPeer();
    private final AnsweringOwner other = new AnsweringOwner(peer);

    @AfterEach
    void close() {
        peer.close();
    }

    private long last() {
        return Cid.of(GROUP, peer.groups.firstLimit - 1);
    }

    private void leave(RawClient client) {
        RunMigration order =
                new RunMigration(GROUP, 1, FIRST, last(), peer.superPeer.epoch, AnsweringOwner.NID, 1, other.address());
        RunMigrationReply begun = client.await(client.call(MessageType.RUN_MIGRATION, order));
        assertThat(begun.failed()).isFalse();
        peer.node.advanceUntil(() -> other.owns);
        peer.groups.give(GROUP, AnsweringOwner.NID, 9);
        peer.node.advance(KeyedPeer.SECOND);
    }

    private void comeBack(RawClient client) {
        peer.superPeer.migration = MigrationState.RUNNING;
        peer.superPeer.zone =
                new Placement(KeyedPeer.NID, new int[0], 12, BackupZone.id(GROUP, 2), PlacementState.IN_SYNC);
        take(client, 0, 0, other.chunks);
        take(client, 1, MigrationData.FLAG_SEAL, Map.of());
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(GROUP, 2, true, 12)));
        peer.groups.give(GROUP, KeyedPeer.NID, 12);
    }

    private void take(RawClient client, int step, int flags, Map<Long, byte[]> chunks) {
        MigrationData header =
                new MigrationData(GROUP, 2, FIRST, last(), AnsweringOwner.NID, peer.superPeer.epoch, step, flags);
        for (int attempt = 0; attempt < 10; attempt++) {
            CompletableFuture<Boolean> taken = client.send(
                    MessageType.MIGRATION_DATA,
                    out -> {
                        header.writeTo(out);
                        out.writeIntLE(chunks.size());
                        chunks.keySet().forEach(out::writeLongLE);
                        chunks.values().forEach(bytes -> out.writeIntLE(bytes.length));
                        chunks.values().forEach(out::writeBytes);
                        out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
                    },
                    in -> true);
            peer.node.advanceUntil(taken::isDone);
            if (!taken.isCompletedExceptionally()) {
                return;
            }
            peer.node.advance(50 * KeyedPeer.MILLI);
        }
        throw new AssertionError("step " + step + " is not taken");
    }

    @Test
    void group_leavesForAnotherPeer_isDroppedAndCallsGoThere() {
        peer.ready();
        peer.ask("SET {g}a 1", "SET {g}b 2", "DEL {g}a");
        leave(peer.node.client());
        assertThat(other.chunks).containsOnlyKeys(Cid.of(GROUP, 2));
        assertThat(peer.keyed().keys()).isZero();
        assertThat(peer.keyed().indexBytes()).isZero();
        assertThat(peer.ask("GET {g}b")).isEqualTo("$5 other");
    }

    @Test
    void group_comesBackInAnotherEpoch_itsKeysAreFoundAgainFromItsChunks() {
        peer.ready();
        peer.ask("SET {g}a 1", "SET {g}b 2", "SET {g}c 3 EX 1000");
        long mark = Long.parseLong(peer.ask("WATCH {g}a").replace("*1 :", ""));
        RawClient client = peer.node.client();
        leave(client);
        comeBack(client);

        assertThat(peer.ask("GET {g}a", "GET {g}b", "TTL {g}c", "DBSIZE")).matches("\\$1 1 \\$1 2 :99\\d :3");
        assertThat(peer.keyed().expiringKeys()).isEqualTo(1);
        // No LID of an entry that is there is given to another one.
        assertThat(peer.ask("SET {g}d 4", "GET {g}a", "GET {g}b", "GET {g}d")).isEqualTo("+OK $1 1 $1 2 $1 4");
        // Others may have changed the key meanwhile.
        GroupCall watched = KeyedPeer.call(List.of(KeyedPeer.watched("{g}a", mark)), "SET {g}a 2");
        assertThat(peer.tell(watched).outcome()).isEqualTo(Outcome.WATCH_BROKEN);
        assertThat(other.calls).isEmpty();
    }
}
