package dev.granary.bench.compare.stores;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import site.ycsb.generator.ZipfianGenerator;

/**
 * The mix of LinkBench (its file FBWorkload.properties). A node is an object of 128 bytes with an even number, and the
 * list of its links is the object behind it, 24 bytes for each link. A change of links reads the list and writes it
 * again, so two changes at the same time may lose one.
 */
final class LinkRequests implements Requests {

    private static final int NODE_BYTES = 128;

    /** The other node, a time, and 8 bytes of data. */
    private static final int LINK_BYTES = 24;

    /** Links of a node follow a power law: the share with more than d links falls with d to this power. */
    private static final double DEGREE_POWER = 1.2;

    private static final int MOST_LINKS = 1_000;

    private static final double READ_ZIPF = 0.8;
    private static final double WRITE_ZIPF = 0.741;
    private static final double NODE_ZIPF = 0.625;

    /** Spreads neighbours in popularity over the nodes. It is prime. */
    private static final long SPREAD = 1_000_000_007L;

    /** What is done, with its share of 100. */
    private enum Kind {
        READ_LINKS(50.7 + 4.89 + 0.53),
        ADD_LINK(8.99),
        DELETE_LINK(2.99),
        UPDATE_LINK(8.01),
        READ_NODE(12.9),
        ADD_NODE(2.57),
        UPDATE_NODE(7.37),
        DELETE_NODE(1.01);

        private final double share;

        Kind(double share) {
            this.share = share;
        }

        private static Kind draw(SplittableRandom random) {
            double all = Arrays.stream(values()).mapToDouble(kind -> kind.share).sum();
            double left = random.nextDouble(all);
            for (Kind kind : values()) {
                left -= kind.share;
                if (left < 0) {
                    return kind;
                }
            }
            return READ_LINKS;
        }
    }

    private final ObjectSet objects;

    /** Nodes that are there from the beginning on; others come and go. */
    private final long nodes;

    private final AtomicLong nextNode;

    // All threads share these, as in YCSB: their random numbers are the thread's own.
    private final ZipfianGenerator readList;
    private final ZipfianGenerator writtenList;
    private final ZipfianGenerator readNode;

    /** @param objects which are loaded */
    LinkRequests(ObjectSet objects) {
        this.objects = objects;
        this.nodes = objects.count() / 2;
        this.nextNode = new AtomicLong(2 * nodes + 2);
        this.readList = new ZipfianGenerator(0, nodes - 1, READ_ZIPF);
        this.writtenList = new ZipfianGenerator(0, nodes - 1, WRITE_ZIPF);
        this.readNode = new ZipfianGenerator(0, nodes - 1, NODE_ZIPF);
    }

    /** The size of a node, or of the list behind it, when it is written first. */
    static int sizeOf(long number) {
        if (number % 2 == 0) {
            return NODE_BYTES;
        }
        double draw = new SplittableRandom(number).nextDouble();
        double degree = Math.pow(1 - draw, -1 / DEGREE_POWER);
        return LINK_BYTES * (int) Math.min(MOST_LINKS, degree);
    }

    @Override
    public Step begin(ComparedClient.Session session) {
        return new Links(session);
    }

    /** What one thread does. */
    private final class Links implements Step {

        private final ComparedClient.Session session;
        private final SplittableRandom random = new SplittableRandom(System.nanoTime());

        /** Nodes that this thread has added and not deleted. */
        private final Deque<Long> added = new ArrayDeque<>();

        private Links(ComparedClient.Session session) {
            this.session = session;
        }

        @Override
        public int next() {
            Kind kind = Kind.draw(random);
            switch (kind) {
                case READ_LINKS -> read(number(readList) + 1);
                case ADD_LINK, DELETE_LINK, UPDATE_LINK -> change(kind, number(writtenList) + 1);
                case READ_NODE -> read(number(readNode));
                case UPDATE_NODE -> session.update(objects.key(number(writtenList)), new byte[NODE_BYTES]);
                case ADD_NODE -> add();
                case DELETE_NODE -> delete();
            }
            return 1;
        }

        private long number(ZipfianGenerator popularity) {
            return 2 * (popularity.nextValue() * SPREAD % nodes);
        }

        private byte[] read(long number) {
            byte[] value = session.read(objects.key(number));
            if (value == null) {
                throw new IllegalStateException("object " + number + " is missing");
            }
            return value;
        }

        private void change(Kind kind, long list) {
            byte[] links = read(list);
            boolean grows = kind == Kind.ADD_LINK && links.length < LINK_BYTES * MOST_LINKS;
            boolean shrinks = kind == Kind.DELETE_LINK && links.length > LINK_BYTES;
            int bytes = links.length + (grows ? LINK_BYTES : 0) - (shrinks ? LINK_BYTES : 0);
            byte[] changed = Arrays.copyOf(links, bytes);
            changed[random.nextInt(bytes)]++;
            session.update(objects.key(list), changed);
        }

        private void add() {
            long node = nextNode.getAndAdd(2);
            session.insert(objects.key(node), new byte[NODE_BYTES]);
            session.insert(objects.key(node + 1), new byte[LINK_BYTES]);
            added.addLast(node);
        }

        /** Deletes a node that this thread has added, so that nobody else asks for it; adds one if there is none. */
        private void delete() {
            Long node = added.pollLast();
            if (node == null) {
                add();
                return;
            }
            session.delete(objects.key(node));
            session.delete(objects.key(node + 1));
        }
    }
}
