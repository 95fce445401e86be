package dev.granary.storage.backup;

import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A machine of the simulator whose process only keeps copies of zones. Its disk survives its process. */
public final class BackupPeer {

    /** The cluster of all tests. */
    public static final UUID CLUSTER = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);

    private static final int PORT = 7500;

    private final SimulatedNode machine;
    private final int nid;
    private @Nullable Life life;

    /** The parts of one process. */
    public record Life(SimulatedNode.World world, RpcClient rpc, BackupLog log, BackupService service) {}

    /** Whether its incarnation has a lease. */
    public boolean holdsLease = true;

    private Consumer<RequestTable> others = requests -> {};
    private long spoolBytes = 64 << 20;

    /** Makes a machine whose process does not run yet. */
    public BackupPeer(Simulation world, String name, int nid) {
        this.machine = world.node(name);
        this.nid = nid;
    }

    /** Adds handlers of other requests from the next start on. */
    public BackupPeer with(Consumer<RequestTable> added) {
        others = added;
        return this;
    }

    /** Bounds the room for fetched copies from the next start on. */
    public BackupPeer withSpoolBytes(long bytes) {
        spoolBytes = bytes;
        return this;
    }

    /** Starts the process. */
    public BackupPeer start() {
        return startWithout(Map.of());
    }

    /** Starts the process after a log has failed that had copies of these zones, at the epochs that were promised. */
    public BackupPeer startWithout(Map<Integer, Long> lost) {
        machine.start(started -> run(started, lost));
        return this;
    }

    private void run(SimulatedNode.World world, Map<Integer, Long> lost) {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 77L + nid);
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        BackupDisk disk = BackupDisk.of(world.environment());
        try {
            BackupLog log = BackupLog.open(
                    disk.disk(), BackupLogOptions.small(), world.environment().clock(), disk.writer());
            CopySpools spools = new CopySpools(
                    log, world.environment().clock(), world.environment().scheduler(), disk.readers(), spoolBytes);
            BackupService service = new BackupService(
                    log,
                    world.environment().scheduler(),
                    identity,
                    new Incarnation() {
                        @Override
                        public long epoch() {
                            return 3;
                        }

                        @Override
                        public boolean holdsLease() {
                            return holdsLease;
                        }
                    },
                    new BackupMetrics(new CollectorRegistry()),
                    spools,
                    lost);
            RpcClient rpc = new RpcClient(
                    world.transport(),
                    world.environment().clock(),
                    world.environment().scheduler(),
                    identity);
            life = new Life(world, rpc, log, service);
            RequestTable requests = new RequestTable("a backup");
            BackupService.addTo(requests, () -> service);
            others.accept(requests);
            var _ = world.transport().listen(new HostAddress("0.0.0.0", PORT), new RpcServer(identity, requests));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process; its disk keeps what it has written. */
    public void kill() {
        machine.kill();
        life = null;
    }

    /** Cuts its power: what was not synced is lost. */
    public void powerOff() {
        machine.powerOff();
        life = null;
    }

    public SimulatedNode machine() {
        return machine;
    }

    public int nid() {
        return nid;
    }

    public HostAddress address() {
        return new HostAddress(machine.name(), PORT);
    }

    /** Returns the process. */
    public Life life() {
        Life present = life;
        if (present == null) {
            throw new AssertionError(machine.name() + " does not run");
        }
        return present;
    }
}
