package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.access.Access;
import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.KeyedFigures;
import dev.granary.storage.door.state.RedirectMode;
import dev.granary.storage.keyed.EvictionPolicy;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.hot.HotKeys;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A door of a {@link LonePeer} on a free port, and its clients. */
public final class OpenDoor implements AutoCloseable {

    static final KeyedFigures FIGURES = new KeyedFigures(2048, 1024, 1 << 20, 7, 2, 5, 0, 11, 13, 3);

    private static final long PATIENCE_SECONDS = 20;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final List<Throwable> failures = new ArrayList<>();
    private final ThreadScheduler scheduler = new ThreadScheduler("door-test", failures::add);
    private final List<RespClient> clients = new ArrayList<>();
    private final HotKeys hotKeys = new HotKeys(new SystemClock());
    private final LonePeer peer = new LonePeer(allocator, hotKeys);
    private final HeapChunks chunks = new HeapChunks();
    private final KeyedLimits memory = new KeyedLimits(1 << 20, EvictionPolicy.NOEVICTION);
    private final Access access;
    private final Door door;
    private final HostAddress address;

    public OpenDoor() throws Exception {
        this(DoorLimits.defaults(), RedirectMode.AWARE, null);
    }

    /** A door with users. */
    OpenDoor(Path users) throws Exception {
        this(DoorLimits.defaults(), RedirectMode.AWARE, null, users, null, null);
    }

    /** A door with TLS, which the caller closes after it. */
    OpenDoor(TlsContexts tls, ClientAuthentication clients) throws Exception {
        this(DoorLimits.defaults(), RedirectMode.AWARE, null, null, tls, clients);
    }

    OpenDoor(DoorLimits limits) throws Exception {
        this(limits, RedirectMode.AWARE, null);
    }

    OpenDoor(DoorLimits limits, RedirectMode redirect, @Nullable HostAddress advertised) throws Exception {
        this(limits, redirect, advertised, null, null, null);
    }

    private OpenDoor(
            DoorLimits limits,
            RedirectMode redirect,
            @Nullable HostAddress advertised,
            @Nullable Path users,
            @Nullable TlsContexts tls,
            @Nullable ClientAuthentication clients)
            throws Exception {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        DoorConfig config = new DoorConfig(
                new HostAddress("127.0.0.1", 0), advertised, "127.0.0.1", limits, redirect, Polling.AUTO, 2, clients);
        access = new Access(users, new SecureRandom());
        access.begin(scheduler);
        door = new Door(
                config,
                new SystemClock(),
                scheduler,
                tls,
                allocator,
                peer,
                peer,
                peer::has,
                () -> FIGURES,
                memory,
                hotKeys,
                chunks,
                access);
        address = door.start().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(door.announced()).isEqualTo(advertised == null ? address : advertised);
    }

    public Door door() {
        return door;
    }

    LonePeer peer() {
        return peer;
    }

    HeapChunks chunks() {
        return chunks;
    }

    HostAddress address() {
        return address;
    }

    RespClient client() throws IOException {
        RespClient client = new RespClient(address);
        clients.add(client);
        return client;
    }

    /** Returns how many bytes of buffers are held by whomever. */
    long bufferBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    /** Closes everything, and looks whether something is left. */
    @Override
    public void close() throws Exception {
        for (RespClient client : clients) {
            client.close();
        }
        door.stop().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        access.close();
        peer.close();
        scheduler.close();
        assertThat(failures).isEmpty();
        assertThat(door.chunkBytes()).as("room of values of chunks").isZero();
        assertThat(door.state().clients().count()).isZero();
        assertThat(door.state().clients().heldBytes()).isZero();
        for (int tries = 0; bufferBytes() != 0 && tries < 200; tries++) {
            // A call that was on its way when its client left gives back its buffers by itself.
            Thread.sleep(10);
        }
        assertThat(bufferBytes())
                .as("bytes of buffers that nobody has given back")
                .isZero();
    }
}
