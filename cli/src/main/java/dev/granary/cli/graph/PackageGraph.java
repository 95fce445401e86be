package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The package graph in this process's memory: vertices with dense ids in the order of the snapshot, and for each kind
 * of edge the lists of both directions. Immutable. Chunks are made from it, and answers from chunks are checked against
 * it.
 */
public final class PackageGraph {

    private final PackageSnapshot snapshot;
    private final Map<String, Integer> ids;
    private final List<AdjacencyLists> outgoing;
    private final List<AdjacencyLists> incoming;
    private final List<Resolution> resolutions;

    private PackageGraph(
            PackageSnapshot snapshot,
            Map<String, Integer> ids,
            List<AdjacencyLists> outgoing,
            List<AdjacencyLists> incoming,
            List<Resolution> resolutions) {
        this.snapshot = snapshot;
        this.ids = ids;
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.resolutions = resolutions;
    }

    /**
     * Reads the graph of the snapshot in the application's resources.
     *
     * @throws SnapshotException when the snapshot is damaged
     */
    public static PackageGraph read() {
        return of(PackageSnapshot.readResource());
    }

    /** Resolves every relation of the snapshot. */
    static PackageGraph of(PackageSnapshot snapshot) {
        Map<String, Integer> ids = new HashMap<>();
        List<PackageRecord> packages = snapshot.packages();
        for (int id = 0; id < packages.size(); id++) {
            if (ids.put(packages.get(id).name(), id) != null) {
                throw new SnapshotException(
                        "the snapshot holds " + packages.get(id).name() + " twice");
            }
        }
        RelationResolver resolver = new RelationResolver(packages, ids);
        List<AdjacencyLists> outgoing = new ArrayList<>();
        List<AdjacencyLists> incoming = new ArrayList<>();
        List<Resolution> resolutions = new ArrayList<>();
        for (EdgeKind kind : EdgeKind.values()) {
            RelationResolver.Resolved resolved = resolver.resolve(kind);
            outgoing.add(resolved.lists());
            incoming.add(resolved.lists().reversed());
            resolutions.add(resolved.resolution());
        }
        return new PackageGraph(snapshot, Collections.unmodifiableMap(ids), outgoing, incoming, resolutions);
    }

    PackageSnapshot snapshot() {
        return snapshot;
    }

    /** Number of packages. */
    public int vertices() {
        return snapshot.packages().size();
    }

    /** The version of each package, by its name. */
    public Map<String, String> versions() {
        return snapshot.packages().stream().collect(Collectors.toMap(PackageRecord::name, PackageRecord::version));
    }

    /** Number of edges of all kinds. */
    public long edges() {
        return outgoing.stream().mapToLong(AdjacencyLists::edges).sum();
    }

    PackageRecord vertex(int id) {
        return snapshot.packages().get(id);
    }

    /** The archive's description of itself, one line for each release. */
    public List<String> releases() {
        return snapshot.releases();
    }

    /**
     * Checks that a package of this name exists.
     *
     * @throws UnknownPackageException with the nearest names, when there is none
     */
    public void requireKnown(String name) {
        if (idOf(name) < 0) {
            throw new UnknownPackageException(name, NearNames.of(name, ids.keySet()));
        }
    }

    /** The id of the package with this name, or -1. */
    int idOf(String name) {
        return ids.getOrDefault(name, -1);
    }

    AdjacencyLists lists(EdgeKind kind, Direction direction) {
        return (direction == Direction.OUTGOING ? outgoing : incoming).get(kind.code());
    }

    /** For each package, by its number, the numbers of those without which it does not work, each once. */
    public int[][] needs() {
        AdjacencyLists before = lists(EdgeKind.PRE_DEPENDS, Direction.OUTGOING);
        AdjacencyLists beside = lists(EdgeKind.DEPENDS, Direction.OUTGOING);
        int[][] needs = new int[vertices()][];
        Arrays.setAll(needs, id -> IntStream.concat(
                        IntStream.range(before.begin(id), before.end(id)).map(before::target),
                        IntStream.range(beside.begin(id), beside.end(id)).map(beside::target))
                .distinct()
                .toArray());
        return needs;
    }

    /** How relations of one kind became edges. */
    public Resolution resolution(EdgeKind kind) {
        return resolutions.get(kind.code());
    }
}
