package dev.granary.superpeer.ring;

import dev.granary.env.Loop;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.Announce;
import dev.granary.net.message.RingMessages.AnnounceReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.node.Node;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells every other super-peer the address of this one, once after each start, and learns from them the addresses of
 * the others. Without this a Raft group whose members all have new addresses could not find itself by its committed
 * ones. Asks each address until it has answered. Tasks of the node's scheduler.
 */
final class Announcement {

    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Node node;
    private final RingBook book;
    private final HostAddress self;
    private final TreeSet<String> told = new TreeSet<>();
    private final Loop loop;
    private boolean stopped;

    /** @param self the address of this super-peer */
    Announcement(Node node, RingBook book, HostAddress self) {
        this.node = node;
        this.book = book;
        this.self = self;
        this.loop = Loop.every(
                        node.environment().scheduler(), "announcement", CALL_TIMEOUT_NANOS + RETRY_NANOS, this::tellAll)
                .vital();
    }

    /** Begins to tell others. Called when this super-peer knows its NID. */
    void begin() {
        loop.begin();
    }

    void stop() {
        stopped = true;
        loop.stop();
    }

    private void tellAll() {
        TreeMap<String, HostAddress> targets = new TreeMap<>();
        node.config().seeds().forEach(seed -> targets.put(seed.toString(), seed));
        book.addresses().forEach(each -> targets.put(each.address().toString(), each.address()));
        targets.remove(self.toString());
        targets.keySet().removeAll(told);
        Announce message = new Announce(node.rpcIdentity().nid(), self);
        targets.forEach((text, target) -> node.ask(
                target,
                Nid.NONE,
                MessageType.ANNOUNCE,
                message,
                CALL_TIMEOUT_NANOS,
                (reply, failure) -> answered(text, reply)));
        if (targets.isEmpty()) {
            loop.stop();
        }
    }

    private void answered(String address, @Nullable AnnounceReply reply) {
        if (reply != null && !stopped) {
            told.add(address);
            // Try addresses that others report before believing them: a super-peer knows its own address better.
            reply.known().stream()
                    .filter(each -> !each.address().equals(book.addressOf(each.nid())))
                    .forEach(each -> tryAddress(each));
        }
    }

    /** Takes over the address of a super-peer if the super-peer answers there. */
    private void tryAddress(Announce each) {
        if (each.nid() == node.rpcIdentity().nid()) {
            return;
        }
        Announce message = new Announce(node.rpcIdentity().nid(), self);
        node.ask(each.address(), each.nid(), MessageType.ANNOUNCE, message, CALL_TIMEOUT_NANOS, (reply, failure) -> {
            if (reply != null) {
                book.announced(each.nid(), each.address());
            }
        });
    }

    /** Takes the address of another super-peer, and answers with all addresses that are known here. */
    void receive(RpcRequest request, Announce message) {
        book.announced(message.nid(), message.address());
        TreeMap<Integer, Announce> known = new TreeMap<>();
        book.addresses().forEach(each -> known.put(each.nid(), each));
        if (node.rpcIdentity().nid() != Nid.NONE) {
            known.put(node.rpcIdentity().nid(), new Announce(node.rpcIdentity().nid(), self));
        }
        request.reply(new AnnounceReply(known.values().stream().toList()));
    }
}
