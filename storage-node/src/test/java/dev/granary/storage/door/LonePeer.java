package dev.granary.storage.door;

import dev.granary.keyed.Keyspace;
import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandFlag;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.keyed.GroupCall;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedCalls;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.hot.HotKeySession;
import dev.granary.storage.keyed.hot.HotKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A storage peer that owns all slot groups, or that is told who does: 256 keyspaces on the heap, and the commands of
 * {@code libs/keyed}. Calls are carried out by its own thread, or at once. Thread-safe.
 */
final class LonePeer implements KeyedCalls, SlotOwners, AutoCloseable {

    static final int NID = 0x8000;

    private static final CommandTable TABLE = CommandTable.redis();

    private final HotKeys hotKeys;
    private final ByteBufAllocator allocator;
    private final ExecutorService thread;
    private final KeyCommands commands = new KeyCommands();
    private final Keyspace[] groups = new Keyspace[SlotGroup.COUNT];
    private final List<Map<ByteBuffer, Long>> changes = new ArrayList<>();
    private final int[] flushes = new int[SlotGroup.COUNT];
    private final int[] owners = new int[SlotGroup.COUNT];
    private final List<Door> doors = new ArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, Outcome> failures = new ConcurrentHashMap<>();

    /** What waits for each group that is held. Guarded by itself. */
    private final Map<Integer, List<Runnable>> held = new HashMap<>();

    private volatile @Nullable Outcome failure;
    private volatile boolean atOnce;
    private volatile int nid = NID;

    LonePeer(ByteBufAllocator allocator, HotKeys hotKeys) {
        this.hotKeys = hotKeys;
        this.allocator = allocator;
        this.thread = Executors.newSingleThreadExecutor();
        Arrays.fill(owners, NID);
        for (int i = 0; i < groups.length; i++) {
            groups[i] = new HashedKeyspace();
            changes.add(new HashMap<>());
        }
    }

    boolean has(String command) {
        return commands.has(command);
    }

    /** Carries out calls on the caller's thread from now on, and requests for groups of even numbers at once. */
    LonePeer atOnce() {
        atOnce = true;
        return this;
    }

    /** Carries out no more calls, but ends them so; null to carry them out again. */
    void fail(@Nullable Outcome outcome) {
        failure = outcome;
    }

    /** Carries out no more calls on a group, but ends them so. */
    void fail(int group, Outcome outcome) {
        failures.put(group, outcome);
    }

    /** Lets calls on a group wait from now on. */
    void hold(int group) {
        synchronized (held) {
            held.putIfAbsent(group, new ArrayList<>());
        }
    }

    /** Carries out what waits on a group, and what comes. */
    void letGo(int group) {
        synchronized (held) {
            List<Runnable> waiting = held.remove(group);
            Objects.requireNonNull(waiting).forEach(thread::execute);
        }
    }

    /** Returns how many calls there were. */
    int calls() {
        return calls.get();
    }

    synchronized void owner(int group, int owner) {
        owners[group] = owner;
    }

    synchronized void addDoor(int nidOfDoor, HostAddress address) {
        doors.add(new Door(nidOfDoor, address));
    }

    void nid(int own) {
        nid = own;
    }

    @Override
    public int nid() {
        return nid;
    }

    @Override
    public synchronized int owner(int group) {
        return owners[group];
    }

    @Override
    public synchronized List<Door> doors() {
        return List.copyOf(doors);
    }

    @Override
    public synchronized AtOnce tryAtOnce(int group, Command command, Request request, ReplyWriter reply) {
        synchronized (held) {
            if (!atOnce || group % 2 != 0 || held.containsKey(group)) {
                return AtOnce.NOT_DONE;
            }
        }
        Outcome failed = failures.getOrDefault(group, failure);
        if (failed != null) {
            return failed == Outcome.UNKNOWN ? AtOnce.UNKNOWN : AtOnce.NOT_DONE;
        }
        calls.incrementAndGet();
        carryOut(group, request, reply);
        return AtOnce.ANSWERED;
    }

    @Override
    public void carryOut(GroupCall call, Consumer<GroupReply> done) {
        calls.incrementAndGet();
        synchronized (held) {
            List<Runnable> waiting = held.get(call.group());
            if (waiting != null) {
                waiting.add(() -> done.accept(carryOut(call)));
                return;
            }
        }
        if (atOnce) {
            done.accept(carryOut(call));
        } else {
            thread.execute(() -> done.accept(carryOut(call)));
        }
    }

    @Override
    public void carryOut(List<GroupCall> together, Ends ends) {
        for (int i = 0; i < together.size(); i++) {
            int index = i;
            carryOut(together.get(i), reply -> ends.ended(index, reply));
        }
    }

    private synchronized GroupReply carryOut(GroupCall call) {
        Outcome failed = failures.getOrDefault(call.group(), failure);
        if (failed != null) {
            call.requests().release();
            return GroupReply.not(failed, "a test wants it so");
        }
        for (WatchedKey watched : call.watched()) {
            if (mark(call.group(), watched.key()) != watched.mark()) {
                call.requests().release();
                return GroupReply.not(Outcome.WATCH_BROKEN, "");
            }
        }
        ByteBuf out = allocator.buffer();
        ReplyWriter reply = new ReplyWriter(out, call.protocol());
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, allocator)) {
            decoder.authenticated(true);
            decoder.add(call.requests());
            int count = 0;
            while (decoder.next() == RequestDecoder.Step.REQUEST) {
                carryOut(call.group(), decoder.request(), reply);
                count++;
            }
            if (count != call.count()) {
                throw new IllegalStateException(count + " requests in a call of " + call.count());
            }
        }
        // As it comes from another storage peer: nothing can be read behind the replies.
        ByteBuf exact =
                allocator.buffer(out.readableBytes(), out.readableBytes()).writeBytes(out);
        out.release();
        return GroupReply.done(exact);
    }

    private void carryOut(int group, Request request, ReplyWriter reply) {
        Command command = Objects.requireNonNull(TABLE.find(request));
        if (command.name().equals("watch")) {
            reply.array(request.count() - 1);
            for (int i = 1; i < request.count(); i++) {
                reply.integer(mark(group, bytes(request, i)));
            }
            return;
        }
        if (command.name().startsWith("flush")) {
            flushes[group]++;
        } else if (command.flags().contains(CommandFlag.WRITE)) {
            for (int i = 1; i < request.count(); i++) {
                // Values count as keys as well, which does no harm here.
                changes.get(group).merge(ByteBuffer.wrap(bytes(request, i)), 1L, Long::sum);
            }
        }
        commands.run(new CommandCall(command, request, groups[group], reply));
        HotKeySession looking = hotKeys.active();
        if (looking != null) {
            // Each request takes two microseconds and has 100 bytes here.
            looking.add(command, request, System.nanoTime(), 2_000, 100);
        }
    }

    private static byte[] bytes(Request request, int argument) {
        byte[] bytes = new byte[request.length(argument)];
        request.buffer().getBytes(request.start(argument), bytes);
        return bytes;
    }

    private long mark(int group, byte[] key) {
        return ((long) flushes[group] << Integer.SIZE) + changes.get(group).getOrDefault(ByteBuffer.wrap(key), 0L);
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
