package dev.granary.tools.train;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.AotCaches;
import dev.granary.cli.cluster.JvmOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The recordings that the JVMs of one storage peer and of all super-peers write at their end, and their caches. */
final class Recordings implements JvmOptions {

    private static final String STORAGE_NODE = "storage-node";
    private static final String SUPER_PEER = "super-peer";
    private static final int CREATE_LIMIT_SECONDS = 120;

    /** The log message of a super-peer at the end of a lease. It shows that the super-peer took part in a recovery. */
    private static final String END_OF_LEASE = "a storage peer is declared dead";

    private final Path directory;
    private final Training.Form form;

    /** @param directory the directory of the cluster's files */
    Recordings(Path directory, Training.Form form) {
        this.directory = directory;
        this.form = form;
    }

    @Override
    public List<String> of(String name, String role) {
        // Only recorded processes need profiles. The others leave the processors to them.
        return name.equals(Training.RECORDED_PEER) || role.equals(SUPER_PEER)
                ? List.of("-XX:TieredStopAtLevel=4", "-XX:AOTMode=record", "-XX:AOTConfiguration=" + recording(name))
                : List.of("-XX:TieredStopAtLevel=1");
    }

    private Path recording(String name) {
        return directory.resolve(name + ".aotconf");
    }

    /** Makes the caches of both roles, at the same time. */
    void create(AotCaches caches) throws IOException {
        Creation storageNode = new Creation(caches, STORAGE_NODE, recording(Training.RECORDED_PEER));
        String trained = form.hasDeaths() ? superPeerThatSawADeath() : SUPER_PEER + "-0";
        Creation superPeer = new Creation(caches, SUPER_PEER, recording(trained));
        try (storageNode;
                superPeer) {
            storageNode.await();
            superPeer.await();
        }
    }

    private String superPeerThatSawADeath() throws IOException {
        for (int i = 0; i < form.superPeers(); i++) {
            String name = SUPER_PEER + "-" + i;
            if (Files.readString(directory.resolve(name).resolve("log.txt")).contains(END_OF_LEASE)) {
                return name;
            }
        }
        throw new UserException("no super-peer has declared a killed storage peer dead");
    }

    /** A JVM that makes one cache. */
    private final class Creation implements AutoCloseable {

        private final Path cache;
        private final Path next;
        private final Path log;
        private final Process process;

        Creation(AotCaches caches, String role, Path recording) throws IOException {
            cache = caches.file(role);
            next = cache.resolveSibling(role + ".aot.next");
            log = directory.resolve(role + ".create.txt");
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:AOTMode=create",
                            "-XX:AOTConfiguration=" + recording,
                            "-XX:AOTCache=" + next,
                            "-XX:+UseSerialGC",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            caches.classPath(role))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        }

        void await() throws IOException {
            try {
                if (!process.waitFor(CREATE_LIMIT_SECONDS, TimeUnit.SECONDS)
                        || process.exitValue() != 0
                        || !Files.exists(next)) {
                    throw new UserException("the JVM has made no AOT cache: " + Files.readString(log));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UserException("interrupted", e);
            }
            Files.move(next, cache, StandardCopyOption.REPLACE_EXISTING);
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            Files.deleteIfExists(next);
        }
    }
}
