package dev.granary.cli.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.cli.backup.BackupManifest.Creator;
import dev.granary.cli.backup.BackupManifest.Part;
import dev.granary.client.GranaryClient;
import dev.granary.client.NamedChunk;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.view.ClusterView;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes a cluster backup while the cluster serves (ADR 0140). It reads every CID that may have been given before it
 * began, and all keys.
 *
 * <p>Invariants: (1) the backup has every change that was acknowledged before {@code startedAtMillis}, or a later
 * change of the same chunk or key; (2) the manifest is written last, when every part that it names is in the store.
 */
public final class BackupMaker {

    /** The most LIDs of one span. A restore moves each span with one migration. */
    private static final long SPAN_LIDS = 1 << 17;

    /** The most CIDs in one request. The first request of a span has few, because chunks may be large. */
    private static final int MAX_CIDS = 8192;

    private static final int FIRST_CIDS = 16;
    private static final int BLOCK_BYTES = 4 << 20;
    private static final int PART_BYTES = 64 << 20;
    private static final int NAME_PAGE = 4096;
    private static final int READERS = 4;

    private final GranaryClient client;
    private final BackupStore store;
    private final BackupCatalog catalog;
    private final String id;
    private final BackupProgress progress;

    @GuardedBy("this")
    private final List<Part> parts = new ArrayList<>();

    private final AtomicInteger partNumber = new AtomicInteger();
    private final AtomicLong names = new AtomicLong();

    @GuardedBy("this")
    private PartWriter writer = new PartWriter();

    /** CIDs to read. */
    private record Span(int owner, long startCid, long endCidInclusive) {}

    /**
     * Prepares a backup; {@link #run} makes it.
     *
     * @param id the id of the new backup
     */
    public BackupMaker(GranaryClient client, BackupStore store, String id, BackupProgress progress) {
        BackupCatalog.requireId(id);
        this.client = client;
        this.store = store;
        this.catalog = new BackupCatalog(store);
        this.id = id;
        this.progress = progress;
    }

    /**
     * Makes the backup. It replaces what an earlier attempt with the same id left unfinished.
     *
     * @throws BackupException when a finished backup has this id, or the store or the cluster fails
     */
    public BackupManifest run() {
        if (catalog.isFinished(id)) {
            throw new BackupException("there is a backup " + id + " in " + store.describe() + " already");
        }
        catalog.delete(id);
        long startedAtMillis = System.currentTimeMillis();
        ClusterView view = ClusterAdmin.of(client).view();
        progress.begin("looking for chunks");
        List<CreatorList.Creator> creators =
                Together.await(ClusterAdmin.of(client).backups().creators());
        Map<Integer, List<Span>> spans = new TreeMap<>();
        creators.forEach(creator -> spans.put(creator.nid(), spansOf(creator)));
        long chunks = 0;
        long bytes = 0;
        for (PeerInfo peer : view.peers()) {
            chunks += peer.statistics().chunks();
            bytes += peer.statistics().payloadBytes();
        }
        progress.expect(chunks, bytes, creators.size());
        progress.begin("reading chunks");
        readAll(spans);
        progress.begin("reading keys");
        new KeyCollector(ClusterAdmin.of(client).keyBackups(), this::write).run();
        progress.begin("reading names");
        readNames();
        writePart(takePart(0));
        return finish(view, creators, startedAtMillis);
    }

    /** The spans in which a creator may have chunks. */
    private List<Span> spansOf(CreatorList.Creator creator) {
        List<Span> spans = new ArrayList<>();
        long end = creator.lidLimit() - 1;
        long fromCid = Cid.firstOf(creator.nid());
        while (fromCid != 0) {
            RangeList page = Together.await(ClusterAdmin.of(client).backups().ranges(creator.nid(), fromCid));
            for (CidRange range : page.ranges()) {
                Placement placement = range.placement();
                if (placement.state() == PlacementState.RECOVERING && placement.zone() == 0) {
                    throw new BackupException("a backup is being restored into this cluster (chunks of "
                            + Nid.toHex(creator.nid()) + " are missing): finish the restore first");
                }
                // A creator's own chunks without a zone have no copies: those of its earlier incarnations are lost.
                boolean own = placement.owner() == creator.nid() && placement.zone() == 0;
                long first = Math.max(Cid.lid(range.startCid()), own ? creator.firstLid() : Cid.MIN_LID);
                long last = Math.min(Cid.lid(range.endCidInclusive()), end);
                if (placement.state() != PlacementState.LOST) {
                    cut(creator.nid(), placement.owner(), first, last, spans);
                }
            }
            fromCid = page.nextCid();
        }
        return spans;
    }

    private static void cut(int creator, int owner, long firstLid, long lastLid, List<Span> spans) {
        for (long from = firstLid; from <= lastLid; from += SPAN_LIDS) {
            long to = Math.min(lastLid, from + SPAN_LIDS - 1);
            spans.add(new Span(owner, Cid.of(creator, from), Cid.of(creator, to)));
        }
    }

    private void readAll(Map<Integer, List<Span>> spans) {
        Map<Integer, AtomicInteger> left = new ConcurrentHashMap<>();
        spans.forEach((creator, each) -> {
            left.put(creator, new AtomicInteger(each.size()));
            if (each.isEmpty()) {
                progress.peerDone();
            }
        });
        List<Span> all = spans.values().stream().flatMap(List::stream).toList();
        Together.forEach(READERS, all, span -> {
            read(span);
            if (Objects.requireNonNull(left.get(Cid.nid(span.startCid()))).decrementAndGet() == 0) {
                progress.peerDone();
            }
        });
    }

    private void read(Span span) {
        long blockStart = span.startCid();
        BlockBuilder block = new BlockBuilder();
        int wanted = FIRST_CIDS;
        for (long from = span.startCid(); from - span.endCidInclusive() <= 0; ) {
            int count = (int) Math.min(wanted, span.endCidInclusive() - from + 1);
            long[] cids = new long[count];
            for (int i = 0; i < count; i++) {
                cids[i] = from + i;
            }
            int before = block.payload.size();
            List<byte @Nullable []> values = client.getAll(cids);
            for (int i = 0; i < count; i++) {
                byte[] value = values.get(i);
                if (value != null) {
                    block.add(cids[i], value);
                }
            }
            from += count;
            long bytesEach = Math.max(1, (block.payload.size() - before) / count);
            wanted = Math.clamp(BLOCK_BYTES / bytesEach, 1, Math.min(MAX_CIDS, 2 * wanted));
            if (block.payload.size() >= BLOCK_BYTES || from - span.endCidInclusive() > 0) {
                write(block.build(span.owner(), blockStart, from - 1));
                blockStart = from;
                block = new BlockBuilder();
            }
        }
    }

    private static final class BlockBuilder {
        private long[] cids = new long[1024];
        private int[] sizes = new int[1024];
        private int count;
        private final ByteArrayOutputStream payload = new ByteArrayOutputStream();

        void add(long cid, byte[] value) {
            if (count == cids.length) {
                cids = Arrays.copyOf(cids, 2 * count);
                sizes = Arrays.copyOf(sizes, 2 * count);
            }
            cids[count] = cid;
            sizes[count++] = value.length;
            payload.writeBytes(value);
        }

        ChunkBlock build(int owner, long startCid, long endCid) {
            return new ChunkBlock(
                    owner,
                    startCid,
                    endCid,
                    Arrays.copyOf(cids, count),
                    Arrays.copyOf(sizes, count),
                    payload.toByteArray());
        }
    }

    private void write(ChunkBlock block) {
        PartWriter full;
        synchronized (this) {
            writer.add(block);
            full = takePart(PART_BYTES);
        }
        progress.done(block.cids().length, block.payloadBytes());
        writePart(full);
    }

    private void write(KeyBlock block) {
        PartWriter full;
        synchronized (this) {
            writer.add(block);
            full = takePart(PART_BYTES);
        }
        progress.keysDone(block.keys().size(), block.payloadBytes());
        writePart(full);
    }

    private void readNames() {
        String after = "";
        while (true) {
            List<NamedChunk> page = Together.await(client.async().names().list("", after, NAME_PAGE));
            if (page.isEmpty()) {
                return;
            }
            synchronized (this) {
                writer.addNames(page);
            }
            names.addAndGet(page.size());
            after = page.getLast().name();
        }
    }

    /**
     * Takes the part that is being filled if it has at least {@code minBytes}, and starts another part. Returns null if
     * it has fewer.
     */
    private synchronized @Nullable PartWriter takePart(int minBytes) {
        if (writer.isEmpty() || writer.sizeBytes() < minBytes) {
            return null;
        }
        PartWriter taken = writer;
        writer = new PartWriter();
        return taken;
    }

    private void writePart(@Nullable PartWriter part) {
        if (part == null) {
            return;
        }
        String name = String.format(Locale.ROOT, "part-%06d", partNumber.incrementAndGet());
        byte[] bytes = part.finish();
        catalog.access(() -> {
            store.put(id + "/" + name, bytes, bytes.length);
            return name;
        });
        Part written = new Part(name, bytes.length, BackupManifest.checksumOf(bytes, 0, bytes.length), part.chunks());
        synchronized (this) {
            parts.add(written);
        }
    }

    private BackupManifest finish(ClusterView view, List<CreatorList.Creator> creators, long startedAtMillis) {
        progress.begin("writing the manifest");
        Set<String> present = Set.copyOf(catalog.access(store::list));
        List<Part> written;
        synchronized (this) {
            written = List.copyOf(parts);
        }
        for (Part part : written) {
            if (!present.contains(id + "/" + part.name())) {
                throw new BackupException(id + "/" + part.name() + " is not in " + store.describe()
                        + " any more: somebody has deleted it while the backup was made");
            }
        }
        BackupManifest manifest = new BackupManifest(
                id,
                view.ring().clusterId().toString(),
                startedAtMillis,
                System.currentTimeMillis(),
                progress.chunks(),
                progress.payloadBytes(),
                names.get(),
                progress.keys(),
                progress.keyBytes(),
                creators.stream()
                        .map(each -> new Creator(each.nid(), each.lidLimit()))
                        .toList(),
                written.stream()
                        .sorted((one, other) -> one.name().compareTo(other.name()))
                        .toList());
        byte[] bytes = manifest.toBytes();
        catalog.access(() -> {
            store.put(id + "/" + BackupManifest.FILE, bytes, bytes.length);
            return id;
        });
        progress.begin("done");
        return manifest;
    }
}
