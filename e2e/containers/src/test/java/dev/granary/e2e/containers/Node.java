package dev.granary.e2e.containers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.HostConfig;
import java.util.Map;
import java.util.Objects;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;

/**
 * A process in a container of its own, with an address that it keeps. Faults come from outside, through the container
 * engine or the container's network namespace; the process does not take part in them.
 */
final class Node implements AutoCloseable {

    private static final String IMAGE =
            Objects.requireNonNullElse(System.getenv("GRANARY_E2E_IMAGE"), "localhost/granary:e2e");
    private static final String DATA = "/var/lib/granary";
    private static final long CPU_PERIOD_MICROS = 100_000;

    private final String name;
    private final String address;
    private final GenericContainer<?> container;
    private final DockerClient docker = DockerClientFactory.instance().client();

    /**
     * Makes a node that has not started.
     *
     * @param program storage-node or super-peer
     * @param diskBytes size of its disk in RAM, which is gone when the process ends; 0 for a disk that stays
     */
    public Node(
            Network network,
            String name,
            String address,
            String program,
            Map<String, String> configuration,
            long diskBytes) {
        this.name = name;
        this.address = address;
        this.container = new GenericContainer<>(IMAGE)
                .withNetwork(network)
                .withCreateContainerCmdModifier(command -> {
                    command.withIpv4Address(address)
                            .withEntrypoint("/opt/granary/bin/" + program)
                            .withCmd();
                    HostConfig host = Objects.requireNonNull(command.getHostConfig());
                    if (diskBytes > 0) {
                        host.withTmpFs(Map.of(DATA, "rw,uid=65532,gid=65532,mode=0700,size=" + diskBytes));
                    }
                })
                .withEnv("GRANARY_NODE_NAME", name)
                .withEnv("GRANARY_ADVERTISE_HOST", address)
                .withEnv(configuration);
    }

    void start() {
        container.start();
    }

    String name() {
        return name;
    }

    String address() {
        return address;
    }

    /** Kills it with SIGKILL. */
    void kill() {
        docker.killContainerCmd(container.getContainerId()).withSignal("KILL").exec();
    }

    /** Sends it SIGTERM, and gives it time to stop. */
    void terminate() {
        docker.stopContainerCmd(container.getContainerId()).withTimeout(30).exec();
    }

    /** Starts it again with the disk that it had. */
    void startAgain() {
        docker.startContainerCmd(container.getContainerId()).exec();
    }

    /** Freezes all its threads at once. */
    void pause() {
        docker.pauseContainerCmd(container.getContainerId()).exec();
    }

    void unpause() {
        docker.unpauseContainerCmd(container.getContainerId()).exec();
    }

    /** Limits it to a share of one processor; 1 is a whole one. */
    void slow(double processors) {
        docker.updateContainerCmd(container.getContainerId())
                .withCpuPeriod(CPU_PERIOD_MICROS)
                .withCpuQuota((long) (processors * CPU_PERIOD_MICROS))
                .exec();
    }

    /** Drops everything from and to an address. Connections stay open, as in a real partition. */
    void cutOffFrom(String other) {
        network("iptables", "-A", "INPUT", "-s", other, "-j", "DROP");
        network("iptables", "-A", "OUTPUT", "-d", other, "-j", "DROP");
    }

    /** Drops everything that goes to an address; what comes from there still arrives. */
    void muteTowards(String other) {
        network("iptables", "-A", "OUTPUT", "-d", other, "-j", "DROP");
    }

    /** Drops everything that leaves or enters the container. */
    void cutOff() {
        network("iptables", "-A", "INPUT", "!", "-i", "lo", "-j", "DROP");
        network("iptables", "-A", "OUTPUT", "!", "-o", "lo", "-j", "DROP");
    }

    /** Undoes everything that was done to the network. */
    void heal() {
        network("iptables", "-F");
    }

    /** Fills all free space of the disk. */
    void fillDisk() {
        execute("head -c 1G /dev/zero > " + DATA + "/filler; true");
    }

    void freeDisk() {
        execute("rm -f " + DATA + "/filler");
    }

    private void execute(String shell) {
        try {
            container.execInContainer("/bin/sh", "-c", shell);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private void network(String... command) {
        Long pid = docker.inspectContainerCmd(container.getContainerId())
                .exec()
                .getState()
                .getPidLong();
        String[] all = new String[command.length + 4];
        all[0] = "nsenter";
        all[1] = "--target";
        all[2] = Objects.requireNonNull(pid).toString();
        all[3] = "--net";
        System.arraycopy(command, 0, all, 4, command.length);
        Host.run(all);
    }

    /** Returns what it has logged so far. */
    String log() {
        return container.getLogs();
    }

    @Override
    public void close() {
        container.stop();
    }
}
