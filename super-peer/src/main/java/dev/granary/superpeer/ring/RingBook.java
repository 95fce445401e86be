package dev.granary.superpeer.ring;

import dev.granary.env.Confined;
import dev.granary.env.Disk;
import dev.granary.net.message.RingMessages.Announce;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest committed view of the ring that this super-peer knows, and the addresses that super-peers have announced
 * since. The view is kept in the file {@code ring-view}, so that a restarted super-peer knows whom to ask and which
 * Raft groups are its own: CRC-32C of the rest (4 bytes, big-endian), then the bytes of {@link RingView}. Tasks of the
 * node's scheduler, but for {@link #view} and {@link #ring}, which any thread may call.
 */
public final class RingBook {

    private static final Logger LOG = LoggerFactory.getLogger(RingBook.class);
    private static final String FILE = "ring-view";

    private final Confined confined = new Confined();
    private final Node node;
    private final TreeMap<Integer, HostAddress> announced = new TreeMap<>();
    private Runnable onChange = () -> {};
    private volatile @Nullable RingView view;
    private volatile @Nullable Ring ring;

    public RingBook(Node node) {
        this.node = node;
    }

    /** Sets what is called after each change of the view. */
    public void whenChanged(Runnable told) {
        onChange = told;
    }

    /** Reads the view from the disk. Ignores a damaged file, as other super-peers know the view as well. */
    void open() throws IOException {
        Disk disk = node.environment().disk();
        if (!disk.exists(FILE)) {
            return;
        }
        byte[] bytes = disk.read(FILE);
        try {
            take(decode(bytes));
        } catch (IllegalArgumentException e) {
            LOG.atWarn().addKeyValue("file", FILE).log("the ring of before is not known: {}", e.getMessage());
        }
    }

    private static RingView decode(byte[] bytes) {
        if (bytes.length < Integer.BYTES) {
            throw new IllegalArgumentException("the file is too short");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int expected = in.getInt();
        byte[] body = new byte[in.remaining()];
        in.get(body);
        if (checksum(body) != expected) {
            throw new IllegalArgumentException("its checksum is wrong");
        }
        return RingView.read(body);
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Returns the newest committed view that is known here; null while this super-peer belongs to no ring. */
    @Nullable
    public RingView view() {
        return view;
    }

    /** Returns the newest ring as clients see it; null while this super-peer belongs to no ring. */
    @Nullable
    public Ring ring() {
        return ring;
    }

    /** Takes a view over unless a newer one is known. */
    void learn(RingView newer) {
        assert confined.here() : confined;
        RingView known = view;
        if (known != null && known.version() >= newer.version()) {
            return;
        }
        byte[] body = newer.toBytes();
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES + body.length)
                .putInt(checksum(body))
                .put(body)
                .array();
        try {
            node.environment().disk().writeAtomically(FILE, bytes);
        } catch (IOException e) {
            node.control().fail("the disk has failed, the ring cannot be kept", e);
            return;
        }
        if (known != null) {
            forgetOldAnnouncements(known, newer);
        }
        take(newer);
        onChange.run();
    }

    private void take(RingView newer) {
        view = newer;
        ring = newer.ring();
    }

    /**
     * Forgets announced addresses of super-peers whose committed address has changed since: the committed one is newer.
     */
    private void forgetOldAnnouncements(RingView known, RingView newer) {
        for (SuperPeerRecord superPeer : newer.superPeers()) {
            HostAddress before = known.superPeer(superPeer.nid())
                    .map(SuperPeerRecord::address)
                    .orElse(null);
            if (!superPeer.address().equals(before)) {
                announced.remove(superPeer.nid());
            }
        }
    }

    /** Notes the announced address of a super-peer. */
    void announced(int nid, HostAddress address) {
        assert confined.here() : confined;
        if (nid != node.rpcIdentity().nid()) {
            announced.put(nid, address);
        }
    }

    /** Returns the address of a super-peer as last announced, or else as committed; null when neither is known. */
    @Nullable
    public HostAddress addressOf(int nid) {
        assert confined.here() : confined;
        HostAddress said = announced.get(nid);
        RingView known = view;
        return said != null || known == null
                ? said
                : known.superPeer(nid).map(SuperPeerRecord::address).orElse(null);
    }

    /** Returns the addresses of all other super-peers, by NID. */
    List<Announce> addresses() {
        TreeMap<Integer, HostAddress> all = new TreeMap<>();
        RingView known = view;
        if (known != null) {
            known.superPeers().forEach(superPeer -> all.put(superPeer.nid(), superPeer.address()));
        }
        all.putAll(announced);
        all.remove(node.rpcIdentity().nid());
        List<Announce> list = new ArrayList<>();
        all.forEach((nid, address) -> list.add(new Announce(nid, address)));
        return list;
    }
}
