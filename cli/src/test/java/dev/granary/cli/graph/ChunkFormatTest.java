package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.graph.VertexChunk.ListReference;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import dev.granary.serialization.MalformedDataException;
import dev.granary.serialization.SegmentExporter;
import dev.granary.serialization.SegmentImporter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every byte of the chunks: writers follow docs/formats/debian-graph.md, and no bytes break a reader. */
class ChunkFormatTest {

    private static final PackageRecord BASH =
            new PackageRecord("bash", "5.2", "shells", "required", 300, "", "", "", "", "", "", "");
    private static final ListReference LIST =
            new ListReference(EdgeKind.DEPENDS, Direction.INCOMING, 200, 0x8000_0000_0000_0001L);

    @Test
    void vertex_written_isTheDocumentedBytes() {
        assertThat(hex(new VertexChunk(5, BASH, List.of(LIST))))
                .isEqualTo("01" + "05" + "ac02" + "0462617368" + "03352e32" + "067368656c6c73" + "087265717569726564"
                        + "01" + "03" + "c801" + "0100000000000080");
    }

    @Test
    void vertex_readBack_saysTheSame() {
        VertexChunk read = read(write(new VertexChunk(63_665, BASH, List.of(LIST))), VertexChunk::new);

        assertThat(read.describes(63_665, BASH)).isTrue();
        assertThat(read.describes(63_664, BASH)).isFalse();
        assertThat(read.lists()).containsExactly(LIST);
        assertThat(read.list(EdgeKind.DEPENDS, Direction.INCOMING)).isEqualTo(LIST);
        assertThat(read.list(EdgeKind.BREAKS, Direction.INCOMING).degree()).isZero();
    }

    @Test
    void leafAndBranch_written_areTheDocumentedBytes() {
        ListChunk leaf = ListChunk.leaf(EdgeKind.BREAKS, Direction.OUTGOING, new long[] {1, 2}, new byte[] {4, 0});
        ListChunk branch = ListChunk.branch(EdgeKind.RECOMMENDS, Direction.INCOMING, new long[] {3});

        assertThat(hex(leaf)).isEqualTo("02" + "0a" + "02" + "0100000000000000" + "0200000000000000" + "0400");
        assertThat(hex(branch)).isEqualTo("03" + "05" + "01" + "0300000000000000");
    }

    @Test
    void list_readBack_saysTheSame() {
        byte[] bytes = write(ListChunk.leaf(EdgeKind.BREAKS, Direction.OUTGOING, new long[] {1, 2}, new byte[] {4, 0}));
        ListChunk read = read(bytes, ListChunk::new);

        assertThat(read.isLeaf()).isTrue();
        assertThat(read.isPartOf(EdgeKind.BREAKS, Direction.OUTGOING)).isTrue();
        assertThat(read.isPartOf(EdgeKind.BREAKS, Direction.INCOMING)).isFalse();
        assertThat(new long[] {read.count(), read.cid(0), read.cid(1), read.flags(0), read.flags(1)})
                .containsExactly(2, 1, 2, 4, 0);
    }

    @Test
    void bucketAndDirectory_written_areTheDocumentedBytes() {
        assertThat(hex(new BucketChunk(List.of(new BucketChunk.Entry("sed", 7)))))
                .isEqualTo("04" + "01" + "03736564" + "0700000000000000");
        assertThat(hex(new DirectoryChunk(new long[] {9}))).isEqualTo("05" + "01" + "0900000000000000");
    }

    @Test
    void bucketOf_knownNames_isTheirCrc32c() {
        // The check value of CRC-32C: "123456789" gives 0xE3069283.
        assertThat(BucketChunk.bucketOf("123456789", 1 << 14)).isEqualTo(0x1283);
        assertThat(BucketChunk.bucketOf("123456789", 1)).isZero();
    }

    @Test
    void root_written_isTheDocumentedBytes() {
        PackageGraph graph = PackageGraph.of(Snapshots.of("a ; 1 ;  ;  ;  ;  ; b", "b ; 1"));
        RootChunk root = new RootChunk(graph, 1, new long[] {9});
        root.setTotals(7, 300);

        assertThat(hex(root))
                .isEqualTo("06" + "67677068" + "01" + "02" + "00000000" + "01000000" + "00000000".repeat(4)
                        + "0700000000000000" + "2c01000000000000" + "01" + "0b44656269616e2074657374" + "01" + "01"
                        + "0900000000000000");
        RootChunk read = read(write(root), RootChunk::new);
        assertThat(read.releases()).containsExactly("Debian test");
        assertThat(read.edges(EdgeKind.DEPENDS)).isEqualTo(1);
        assertThat(read.directories()).containsExactly(9);
    }

    @Test
    void read_aChunkOfAnotherType_isRefused() {
        byte[] vertex = write(new VertexChunk(5, BASH, List.of()));
        for (Supplier<? extends Importable> other : List.<Supplier<? extends Importable>>of(
                ListChunk::new, BucketChunk::new, DirectoryChunk::new, RootChunk::new)) {
            assertThatThrownBy(() -> read(vertex, other)).isInstanceOf(MalformedDataException.class);
        }
        assertThatThrownBy(() -> read(new byte[40], VertexChunk::new)).isInstanceOf(MalformedDataException.class);
    }

    /** For any bytes a reader returns or says that they are malformed, and allocates no more than they hold. */
    @Test
    void read_damagedBytes_areReadOrRefused() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        PackageGraph graph = PackageGraph.of(Snapshots.of("a ; 1 ;  ;  ;  ;  ; b", "b ; 1"));
        List<byte[]> originals = List.of(
                write(new VertexChunk(5, BASH, List.of(LIST, LIST))),
                write(ListChunk.leaf(EdgeKind.BREAKS, Direction.OUTGOING, new long[] {1, 2}, new byte[] {4, 0})),
                write(new BucketChunk(List.of(new BucketChunk.Entry("sed", 7)))),
                write(new DirectoryChunk(new long[] {9, 10})),
                write(new RootChunk(graph, 1, new long[] {9})));
        List<Supplier<? extends Importable>> readers =
                List.of(VertexChunk::new, ListChunk::new, BucketChunk::new, DirectoryChunk::new, RootChunk::new);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            int kind = random.nextInt(originals.size());
            byte[] bytes = originals.get(kind).clone();
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            byte[] cut = random.nextBoolean() ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length + 8));
            try {
                read(cut, readers.get(kind));
            } catch (MalformedDataException e) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
        assertThat(refused).as("seed %d", seed).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "128,1", "129,3", "16384,129", "16385,132", "2097152,16513"})
    void chunks_ofAListOfAnyLength_areLeavesAndBranchesOverThem(int degree, long chunks) {
        assertThat(ListTree.chunks(degree)).isEqualTo(chunks);
    }

    private static String hex(Exportable object) {
        return HexFormat.of().formatHex(write(object));
    }

    private static byte[] write(Exportable object) {
        byte[] bytes = new byte[object.sizeBytes()];
        SegmentExporter out = new SegmentExporter(MemorySegment.ofArray(bytes), 0, bytes.length);
        object.exportTo(out);
        assertThat(out.writtenBytes()).isEqualTo(bytes.length);
        return bytes;
    }

    private static <T extends Importable> T read(byte[] bytes, Supplier<T> make) {
        T object = make.get();
        object.importFrom(new SegmentImporter(MemorySegment.ofArray(bytes), 0, bytes.length));
        return object;
    }
}
