package dev.granary.superpeer.lease;

import dev.granary.env.Confined;
import dev.granary.env.Loop;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.lease.LeaseTable.Renewal;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.PeerRecord;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease table of a running super-peer. Looks at the table regularly and before each decision, and reports what
 * happened in log and metrics. Runs as tasks of the node's scheduler.
 */
public final class Leases {

    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

    /** Leases that end one shortly after the other are looked at together. */
    private static final long MIN_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Of the time before a start, at most this part of a lease counts. */
    private static final long COUNTED_DIVISOR = 4;

    private final Confined confined = new Confined();
    private final Node node;
    private LeaseTerms terms;
    private final LeaseTable table;
    private final Runnable onTick;
    private ExpiredListener onExpired = (nid, incarnation) -> {};
    private final Loop loop;

    /** Called for each lease that has expired. */
    @FunctionalInterface
    interface ExpiredListener {
        void expired(int nid, long incarnation);
    }

    /**
     * @param onTick called at the end of each regular look
     */
    public Leases(Node node, Runnable onTick) {
        this.node = node;
        this.terms = new LeaseTerms(node.config().leaseNanos());
        this.table = new LeaseTable(terms, node.nanoTime());
        this.onTick = onTick;
        this.loop = Loop.every(node.environment().scheduler(), "leases", this::nextLookNanos, this::tick)
                .vital();
    }

    /** Sets the length of the leases that are granted or renewed from now on. */
    void use(long leaseNanos) {
        lookNow();
        terms = new LeaseTerms(leaseNanos);
        table.use(terms);
        // The next look was planned by the terms before: by these it could be so late that it passed for a pause.
        loop.again(terms.tickNanos());
    }

    /**
     * Starts to look at leases. Waits one full lease for every storage peer that may hold one (SAFETY rule "leases").
     *
     * @param peers all storage peers that the arc knows
     * @param longestLeaseNanos the length of the longest lease that may have been granted before this start
     * @param grantedBeforeNanos no other super-peer has granted a lease after this moment, which has passed
     * @param whenExpired called for each lease that expires
     */
    void begin(
            Collection<PeerRecord> peers,
            long longestLeaseNanos,
            long grantedBeforeNanos,
            ExpiredListener whenExpired) {
        assert confined.here() : confined;
        onExpired = whenExpired;
        long nowNanos = node.nanoTime();
        table.look(nowNanos);
        // Peers could renew nothing since then, and need time to do it now.
        long sinceNanos = Math.max(grantedBeforeNanos, nowNanos - terms.leaseNanos() / COUNTED_DIVISOR);
        long waitNanos = new LeaseTerms(Math.max(longestLeaseNanos, terms.leaseNanos())).waitNanos();
        for (PeerRecord peer : peers) {
            if (!peer.closed() && !peer.parked()) {
                table.assume(peer.nid(), peer.incarnation(), sinceNanos, waitNanos);
            }
        }
        loop.beginAfter(terms.tickNanos());
    }

    void stop() {
        loop.stop();
    }

    /** A look comes when a lease ends, so that nobody waits for the next regular one. */
    private long nextLookNanos() {
        return Math.clamp(table.nextEndNanos(node.nanoTime()), MIN_LOOK_NANOS, terms.tickNanos());
    }

    private void tick() {
        lookNow();
        onTick.run();
    }

    /** Looks for a pause and for expired leases, and returns the moment of this look. */
    private long lookNow() {
        assert confined.here() : confined;
        long nowNanos = node.nanoTime();
        long pauseNanos = table.look(nowNanos);
        if (pauseNanos > 0) {
            node.metrics().countPause();
            SuperPeerProbe.SUPER_PEER_STOOD_STILL.hit();
            LOG.atWarn()
                    .addKeyValue("pauseMillis", pauseNanos / 1_000_000)
                    .log("this super-peer was paused; it waits for every lease in full again");
        }
        for (LeaseTable.Expired expired : table.expire(nowNanos)) {
            node.metrics().countLeasesExpired(1);
            SuperPeerProbe.LEASE_EXPIRED.hit();
            LOG.atWarn()
                    .addKeyValue("nid", Nid.toHex(expired.nid()))
                    .addKeyValue("incarnation", Long.toHexString(expired.incarnation()))
                    .log("the lease of a storage peer has expired");
            onExpired.expired(expired.nid(), expired.incarnation());
        }
        return nowNanos;
    }

    /** Returns how long another incarnation has to wait for the lease of this NID. */
    long remainingNanos(int nid) {
        return table.remainingNanos(nid, lookNow());
    }

    void grant(PeerRecord peer) {
        assert confined.here() : confined;
        table.grant(peer.nid(), peer.incarnation(), lookNow());
        node.metrics().countLeaseGranted();
    }

    /** Renews a lease. Returns false when the incarnation has none. */
    boolean renew(int nid, long incarnation) {
        assert confined.here() : confined;
        Renewal renewal = table.renew(nid, incarnation, lookNow());
        if (renewal == Renewal.RESUMED) {
            LOG.atInfo()
                    .addKeyValue("nid", Nid.toHex(nid))
                    .log("a storage peer is back: its lease had expired and nobody had taken its place");
        }
        return renewal != Renewal.UNKNOWN;
    }

    void close(PeerRecord peer) {
        assert confined.here() : confined;
        table.close(peer.nid(), peer.incarnation());
    }

    boolean isLive(int nid) {
        return table.isLive(nid);
    }

    /** Returns the time for which the storage peer may still serve, for people; 0 when its lease has expired. */
    long remainingForPeopleNanos(int nid) {
        long waitNanos = table.remainingNanos(nid, node.nanoTime());
        return Math.max(0, Math.min(waitNanos - (terms.waitNanos() - terms.leaseNanos()), terms.leaseNanos()));
    }
}
