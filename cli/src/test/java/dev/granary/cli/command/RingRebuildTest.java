package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rebuild over a real connection to a super-peer that has a secret. */
class RingRebuildTest {

    private static final String SECRET = "the secret of the cluster";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path directory = Path.of("");

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final List<String> told = new ArrayList<>();
    private HostAddress superPeer = new HostAddress("127.0.0.1", 0);

    @BeforeEach
    void listen() {
        RpcIdentity identity = new RpcIdentity(
                NodeRole.SUPER_PEER, 5, Credentials.of(ClusterSecret.of(SECRET), new SplittableRandom(5)));
        RpcServer server = new RpcServer(
                identity, request -> request.reply(new RebuildProgress(true, "all is rebuilt", 1, List.of())));
        superPeer = transport.listen(superPeer, server).join();
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private void rebuild(@Nullable Path secret) {
        new RingRebuild(List.of(superPeer), null, new RebuildRing(List.of(), false), secret, () -> null, 0, told::add)
                .run(LIMIT);
    }

    @Test
    void run_withTheSecret_isDone() throws IOException {
        rebuild(Files.writeString(directory.resolve("secret"), SECRET));
        assertThat(told).containsExactly("all is rebuilt");
    }

    @Test
    void run_withoutTheSecretOrWithAnother_endsAtOnceAndSaysWhy() throws IOException {
        assertThatThrownBy(() -> rebuild(null))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("administrators");
        Path other = Files.writeString(directory.resolve("secret"), "the secret of another cluster");
        assertThatThrownBy(() -> rebuild(other))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("does not have the secret of this cluster");
        assertThat(told).isEmpty();
    }

    @Test
    void run_noSuchFile_saysWhatToDo() {
        assertThatThrownBy(() -> rebuild(directory.resolve("absent")))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("openssl rand -hex 32");
    }
}
