package dev.granary.storage.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.Batch;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.testkit.Simulation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spools of a copy that a real log on the simulated disk has. */
class CopySpoolTest {

    private static final int ZONE = BackupZone.id(Owner.NID, 1);
    private static final long EPOCH = 5;
    private static final long FENCE = 6;
    private static final int MIB = 1 << 20;

    private final Simulation world = new Simulation(20_261_121);
    private final BackupPeer backup = new BackupPeer(world, "backup", 0x8000);
    private final Owner owner = new Owner(world);

    /** The lengths of the chunks that were read, by LID. */
    private final Map<Long, Integer> chunks = new HashMap<>();

    private final List<String> others = new ArrayList<>();

    @BeforeEach
    void openCopy() {
        backup.start();
        world.runFor(1_000_000);
        owner.open(backup, ZONE, 1, 0, false);
    }

    /** Logs a batch with some chunks of this size, the first of which has this LID. */
    private void log(long sequence, long firstLid, int count, int sizeBytes) {
        byte[] batch = owner.batch(ZONE, 1, sequence, writer -> {
            for (int i = 0; i < count; i++) {
                writer.chunk(Cid.of(Owner.NID, firstLid + i), new byte[sizeBytes], 0, sizeBytes);
            }
        });
        owner.replicate(backup, ZONE, 1, false, batch);
        world.runFor(20_000_000);
    }

    private CopySpool spool(long upToSequence, long maxBytes) {
        FetchCopy wanted = new FetchCopy(BackupPeer.CLUSTER, ZONE, EPOCH, upToSequence, 0);
        CopySpool spool = new CopySpool(backup.life().log(), wanted, FENCE, maxBytes);
        assertThat(spool.zone()).isEqualTo(ZONE);
        assertThat(spool.fence()).isEqualTo(FENCE);
        return spool;
    }

    /** Takes what a part has, none of which another part had. */
    private void take(byte[] part) {
        Batch batch = Objects.requireNonNull(Batch.of(ByteBuffer.wrap(part)));
        assertThat(batch.zone()).isEqualTo(ZONE);
        assertThat(batch.epoch()).isEqualTo(EPOCH);
        batch.forEach(new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                assertThat(chunks.put(Cid.lid(cid), length)).as("once").isNull();
            }

            @Override
            public void request(
                    long clientId,
                    long requestSequence,
                    long ackedSequence,
                    long epoch,
                    long sequence,
                    MemorySegment bytes,
                    long offset,
                    int length) {
                others.add("request " + clientId + "/" + requestSequence + "/" + ackedSequence + " " + length);
            }

            @Override
            public void token(long cid, long token, long epoch, long sequence) {
                others.add("token " + Cid.lid(cid) + " " + token);
            }
        });
    }

    /** Fetches all parts as a peer does; returns how often the spool has read. */
    private int fetch(CopySpool spool, long maxBytes) {
        int reads = 0;
        int part = 0;
        boolean more = true;
        while (more) {
            if (!spool.has(part)) {
                assertThat(spool.comesNext(part)).isTrue();
                spool.readMore();
                reads++;
                assertThat(spool.bytes()).isLessThan(maxBytes + 2_000);
            }
            more = !spool.isLast(part);
            if (spool.has(part)) {
                take(spool.part(part));
            }
            part++;
        }
        assertThat(spool.isDamaged()).isFalse();
        assertThat(spool.comesNext(part)).isFalse();
        return reads;
    }

    private void assertChunks(int count, int sizeBytes) {
        assertThat(new TreeSet<>(chunks.keySet())).hasSize(count).first().isEqualTo(1L);
        assertThat(chunks.values()).containsOnly(sizeBytes);
    }

    @Test
    void readMore_emptyCopy_isOneEmptyPart() {
        CopySpool spool = spool(9, MIB);
        assertThat(spool.comesNext(0)).isTrue();
        spool.readMore();
        assertThat(spool.has(0)).isFalse();
        assertThat(spool.isLast(0)).isTrue();
        assertThat(spool.part(0)).isEmpty();
        assertThat(spool.bytes()).isZero();
        assertThat(spool.isDamaged()).isFalse();
    }

    @Test
    void readMore_copyThatFits_isReadOnce() {
        log(1, 1, 5, 100);
        log(2, 6, 5, 100);
        CopySpool spool = spool(9, MIB);
        assertThat(spool.has(0)).isFalse();
        assertThat(fetch(spool, MIB)).isEqualTo(1);
        assertChunks(10, 100);
        assertThat(spool.bytes()).isEqualTo(spool.part(0).length);
        assertThat(spool.has(1)).isFalse();
        assertThat(spool.part(1)).isEmpty();
    }

    @Test
    void readMore_batchesBehindWhatIsWanted_areLeftOut() {
        log(1, 1, 5, 100);
        log(2, 6, 5, 100);
        fetch(spool(1, MIB), MIB);
        assertChunks(5, 100);
    }

    @Test
    void readMore_requestsAndTokens_areInItToo() {
        byte[] batch = owner.batch(ZONE, 1, 1, writer -> {
            writer.request(7, 3, 2, new byte[12]);
            writer.token(Cid.of(Owner.NID, 4), 44);
        });
        owner.replicate(backup, ZONE, 1, false, batch);
        fetch(spool(9, MIB), MIB);
        assertThat(others).containsExactlyInAnyOrder("request 7/3/2 12", "token 4 44");
    }

    @Test
    void readMore_moreThanAMebibyte_isCutIntoParts() {
        for (int i = 0; i < 100; i++) {
            log(i + 1, 1 + 40L * i, 40, 600);
        }
        CopySpool spool = spool(1_000, 64 * MIB);
        assertThat(fetch(spool, 64 * MIB)).isEqualTo(1);
        assertChunks(4_000, 600);
        assertThat(spool.has(2)).isTrue();
        assertThat(spool.has(3)).isFalse();
        assertThat(spool.isLast(1)).isFalse();
        assertThat(spool.bytes()).isEqualTo((long) spool.part(0).length + spool.part(1).length + spool.part(2).length);
    }

    @Test
    void readMore_copyDoesNotFit_sharesOfItFollowOneAnotherAndNothingIsTwice() {
        for (int i = 0; i < 10; i++) {
            log(i + 1, 1 + 20L * i, 20, 200);
        }
        CopySpool spool = spool(1_000, 12_000);
        assertThat(fetch(spool, 12_000)).as("at least 40,000 bytes").isGreaterThan(3);
        assertChunks(200, 200);
        assertThat(spool.has(0)).as("the parts before are not kept").isFalse();
    }

    @Test
    void readMore_chunkLargerThanTheRoom_isReadAllTheSame() {
        log(1, 1, 3, 1_500);
        fetch(spool(9, 1_000), 2_000);
        assertChunks(3, 1_500);
    }
}
