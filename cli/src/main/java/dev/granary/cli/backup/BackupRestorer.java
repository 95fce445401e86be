package dev.granary.cli.backup;

import dev.granary.cli.backup.BackupManifest.Creator;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.NamedChunk;
import dev.granary.client.StorageFullException;
import dev.granary.client.admin.BackupCalls;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.Hibernation;
import dev.granary.client.admin.RestoredChunks;
import dev.granary.client.view.ClusterView;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Restores a cluster backup into a new cluster (ADR 0140): every chunk under its former CID, every name, and every key
 * that has not expired.
 *
 * <p>Invariants: (1) a restore changes nothing that the cluster has: super-peers and storage peers take restored chunks
 * only of creators that have never had chunks, and a key that is there stays as it is; (2) a restore that was stopped
 * can continue, because the cluster itself reports which chunks it has.
 */
public final class BackupRestorer {

    private static final int WORKERS = 8;
    private static final int ATTEMPTS = 5;
    private static final long LOOK_MILLIS = 200;
    private static final int LOOKS = 300;

    private static final long ASK_AGAIN_NANOS = 5_000_000_000L;

    private final GranaryClient client;
    private final ClusterAdmin admin;
    private final BackupCalls calls;
    private final BackupCatalog catalog;
    private final BackupManifest manifest;
    private final BackupProgress progress;
    private final boolean verify;

    /**
     * Prepares a restore; {@link #run} does it.
     *
     * @param verify whether to read every chunk again once it is served
     */
    public BackupRestorer(
            GranaryClient client,
            BackupCatalog catalog,
            BackupManifest manifest,
            BackupProgress progress,
            boolean verify) {
        this.client = client;
        this.admin = ClusterAdmin.of(client);
        this.calls = admin.backups();
        this.catalog = catalog;
        this.manifest = manifest;
        this.progress = progress;
        this.verify = verify;
    }

    /**
     * Restores the backup, or continues a restore of this backup that was stopped.
     *
     * @return how many keys of the backup the cluster had already; they have stayed as they were
     * @throws BackupException when the backup is damaged, or the cluster is not empty or has too little room
     */
    public long run() {
        progress.expect(
                manifest.chunks(), manifest.payloadBytes(), manifest.creators().size());
        progress.begin("looking at the backup");
        catalog.verify(manifest);
        ClusterView view = admin.view();
        Map<Integer, CreatorList.Creator> known = Together.await(calls.creators()).stream()
                .collect(Collectors.toMap(CreatorList.Creator::nid, each -> each));
        requireUsable(view, known.values().stream().anyMatch(this::isUnderWay));
        progress.begin("preparing the cluster");
        prepare(view, known);
        List<PeerInfo> peers = awaitPeers();
        progress.begin("restoring chunks");
        RestoreTargets targets = new RestoreTargets(peers);
        List<NamedChunk> names = new ArrayList<>();
        for (BackupManifest.Part part : manifest.parts()) {
            restore(part, targets, names);
        }
        KeyRestorer keys = new KeyRestorer(admin.keyBackups(), verify);
        if (manifest.keys() > 0) {
            progress.begin("restoring keys");
            manifest.parts().forEach(part -> restoreKeys(part, keys));
        }
        progress.begin("restoring names");
        Together.forEach(WORKERS, names, name -> client.names().putIfAbsent(name.name(), name.cid()));
        // Last: afterwards the cluster no longer reports that a restore is under way.
        for (Creator creator : manifest.creators()) {
            Together.await(calls.endRestore(creator.nid()));
            progress.peerDone();
        }
        progress.begin("done");
        return keys.kept();
    }

    /** Whether the creator still waits for chunks of this backup. */
    private boolean isUnderWay(CreatorList.Creator creator) {
        if (creator.backup() == 0) {
            return false;
        }
        if (creator.backup() != manifest.fingerprint()) {
            throw new BackupException("another backup was restored into this cluster, or is being restored");
        }
        for (long fromCid = Cid.firstOf(creator.nid()); fromCid != 0; ) {
            RangeList page = Together.await(calls.ranges(creator.nid(), fromCid));
            if (page.ranges().stream().anyMatch(BackupRestorer::isWaiting)) {
                return true;
            }
            fromCid = page.nextCid();
        }
        return false;
    }

    private static boolean isWaiting(CidRange range) {
        return range.placement().state() == PlacementState.RECOVERING
                && range.placement().zone() == 0;
    }

    private void requireUsable(ClusterView view, boolean underWay) {
        if (view.peers().isEmpty()) {
            throw new BackupException("the cluster has no storage peers");
        }
        long capacityBytes = 0;
        for (PeerInfo peer : view.peers()) {
            if (!peer.live() || peer.draining() || peer.parked()) {
                throw new BackupException("storage peer " + peer.name() + " has no lease, is draining or is parked: a"
                        + " restore needs storage peers that all serve");
            }
            if (!underWay && peer.statistics().chunks() > 0) {
                throw new BackupException("storage peer " + peer.name() + " has "
                        + peer.statistics().chunks()
                        + " chunks or keys; a backup is restored into an empty cluster only");
            }
            capacityBytes += peer.statistics().capacityBytes();
        }
        long neededBytes = manifest.payloadBytes() + manifest.chunks() + manifest.keyBytes() + manifest.keys();
        if (neededBytes > capacityBytes) {
            throw new BackupException("the backup has " + (manifest.payloadBytes() + manifest.keyBytes())
                    + " bytes in " + manifest.chunks() + " chunks and " + manifest.keys()
                    + " keys, and the storage peers have memory for " + capacityBytes + " bytes: add storage peers");
        }
        if (!underWay && !Together.await(client.async().names().list("", "", 1)).isEmpty()) {
            throw new BackupException("the cluster has names; a backup is restored into an empty cluster only");
        }
    }

    /** Makes creators start at their LID high-water marks, unless they have started there already. */
    private void prepare(ClusterView view, Map<Integer, CreatorList.Creator> known) {
        List<Creator> missing = manifest.creators().stream()
                .filter(each -> {
                    CreatorList.Creator now = known.get(each.nid());
                    return now == null || now.backup() == 0;
                })
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        Hibernation changes = new Hibernation(admin);
        try {
            refuseChanges(changes);
            long askedNanos = System.nanoTime();
            for (Creator creator : missing) {
                if (System.nanoTime() - askedNanos > ASK_AGAIN_NANOS) {
                    // A storage peer takes changes again after a while unless it is asked again.
                    changes.ask(Step.REFUSE_CHANGES);
                    askedNanos = System.nanoTime();
                }
                boolean isPeer = view.peer(creator.nid()).isPresent();
                Together.await(
                        isPeer
                                ? calls.restorePeer(creator.nid(), creator.lidMark(), manifest.fingerprint())
                                : calls.restoreCreator(creator.nid(), creator.lidMark(), manifest.fingerprint()));
            }
        } finally {
            // Storage peers that have joined again take changes already.
            takeChanges(changes);
        }
    }

    private static void refuseChanges(Hibernation changes) {
        for (int look = 0; look < LOOKS; look++) {
            if (changes.ask(Step.REFUSE_CHANGES).isDone()) {
                return;
            }
            pause();
        }
        throw new BackupException("the storage peers do not finish their changes: "
                + String.join("; ", changes.ask(Step.REFUSE_CHANGES).problems()));
    }

    private static void takeChanges(Hibernation changes) {
        for (int look = 0; look < LOOKS && !changes.ask(Step.WORK).isDone(); look++) {
            pause();
        }
    }

    /** Waits until all storage peers serve again, each with LIDs above its LID high-water mark, and returns them. */
    private List<PeerInfo> awaitPeers() {
        Map<Integer, Long> marks = new HashMap<>();
        manifest.creators().forEach(creator -> marks.put(creator.nid(), creator.lidMark()));
        for (int look = 0; look < LOOKS; look++) {
            List<PeerInfo> peers = admin.view().peers();
            boolean ready = peers.stream()
                    .allMatch(peer -> peer.live() && peer.firstLid() >= marks.getOrDefault(peer.nid(), 0L));
            if (ready) {
                return peers;
            }
            pause();
        }
        throw new BackupException(
                "not all storage peers have joined again; look at 'granary status', and restore again");
    }

    private void restore(BackupManifest.Part part, RestoreTargets targets, List<NamedChunk> names) {
        List<ChunkBlock> blocks = new ArrayList<>();
        new PartReader(part.name(), catalog.part(manifest, part)).read(new PartReader.Visitor() {
            @Override
            public void chunks(ChunkBlock block) {
                blocks.add(block);
            }

            @Override
            public void names(List<NamedChunk> more) {
                names.addAll(more);
            }

            @Override
            public void keys(KeyBlock block) {
                // They come last, when all chunks are there.
            }
        });
        Together.forEach(WORKERS, blocks, block -> restore(block, targets));
    }

    private void restoreKeys(BackupManifest.Part part, KeyRestorer keys) {
        List<KeyBlock> blocks = new ArrayList<>();
        new PartReader(part.name(), catalog.part(manifest, part)).read(new PartReader.Visitor() {
            @Override
            public void chunks(ChunkBlock block) {
                // They are there already.
            }

            @Override
            public void names(List<NamedChunk> more) {
                // They come with the chunks.
            }

            @Override
            public void keys(KeyBlock block) {
                blocks.add(block);
            }
        });
        Together.forEach(WORKERS, blocks, block -> {
            keys.restore(block);
            progress.keysDone(block.keys().size(), block.payloadBytes());
        });
    }

    private void restore(ChunkBlock block, RestoreTargets targets) {
        for (int attempt = 1; !isThere(block); attempt++) {
            int target = targets.choose(block);
            try {
                Together.await(calls.restore(
                        new RestoredChunks(
                                block.startCid(),
                                block.endCidInclusive(),
                                block.cids(),
                                block.sizes(),
                                block.payload()),
                        target));
            } catch (GranaryException e) {
                if (e instanceof StorageFullException) {
                    targets.refused(target);
                }
                if (attempt == ATTEMPTS) {
                    throw new BackupException(
                            "chunks from " + Cid.toHex(block.startCid()) + " on cannot be restored: " + e.getMessage()
                                    + "; fix that, then run the restore again to continue it",
                            e);
                }
            }
        }
        if (verify) {
            verify(block);
        }
        progress.done(block.cids().length, block.payloadBytes());
    }

    /** Whether the chunks have an owner already: the previous attempt may have succeeded after all. */
    private boolean isThere(ChunkBlock block) {
        for (CidRange range : Together.await(calls.ranges(Cid.nid(block.startCid()), block.startCid()))
                .ranges()) {
            if (range.contains(block.endCidInclusive()) || range.contains(block.startCid())) {
                return !isWaiting(range);
            }
        }
        return false;
    }

    private void verify(ChunkBlock block) {
        List<byte @Nullable []> values = client.getAll(block.cids());
        int at = 0;
        for (int i = 0; i < block.cids().length; i++) {
            byte[] value = values.get(i);
            int end = at + block.sizes()[i];
            if (value == null || !Arrays.equals(value, 0, value.length, block.payload(), at, end)) {
                throw new BackupException(
                        "chunk " + Cid.toHex(block.cids()[i]) + " is not in the cluster as it is in the backup");
            }
            at = end;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackupException("interrupted; run the restore again to continue it", e);
        }
    }
}
