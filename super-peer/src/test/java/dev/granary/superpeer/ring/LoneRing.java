package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.arc.ArcReplica;
import dev.granary.superpeer.arc.Arcs;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.replicated.EndedMemberships;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.ring.MembershipFile.Founding;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingResult;
import dev.granary.superpeer.state.ring.RingView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The parts of the super-peer that founds a ring, put together as in a process; a test adds the services that it needs.
 * The other super-peers answer as the test wants.
 */
public final class LoneRing {

    /** The NIDs of the super-peers that join, in this order. */
    public static final int SECOND = 0x8001;

    public static final int THIRD = 0x4001;

    private static final HostAddress SELF = LoneNode.address("s0");
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    public final LoneNode lone;
    public final RingBook book;
    public final RaftHost host;
    public final RingMembership membership;
    public final Arcs arcs;

    /** @param size how many super-peers the ring is founded for */
    public LoneRing(int size) {
        this(new LoneNode(SimulatedRing.founder("s0", size)));
    }

    /** Goes on with what is on the disk of a node, or founds a ring as the node is told. */
    public LoneRing(LoneNode lone) {
        this.lone = lone;
        try {
            if (MembershipFile.read(lone.node().environment().disk()).isEmpty()
                    && lone.node().config().bootstrap()) {
                // As if it had asked the seeds.
                new MembershipFile(LoneNode.CLUSTER, LoneNode.NID, Founding.FOUND, 0)
                        .write(lone.node().environment().disk());
            }
            book = new RingBook(lone.node());
            host = new RaftHost(
                    lone.node(),
                    book::addressOf,
                    EndedMemberships.open(lone.node().environment().disk()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        membership = new RingMembership(lone.node(), host, book);
        arcs = new Arcs(lone.node(), host, book, membership, () -> {});
        book.whenChanged(arcs::ringChanged);
        host.whenAdded((group, member) -> {
            if (group == GroupId.RING) {
                membership.openGroup(member);
            } else {
                arcs.openForOthers(group, member);
            }
        });
    }

    /** Begins to work, without waiting for anything. */
    public LoneRing start() {
        lone.run(() -> {
            try {
                membership.open();
                arcs.begin();
                membership.begin(SELF, SELF);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return this;
    }

    /** Begins to work, and leads the ring and its own arc. A ring that is not complete has no arc. */
    public LoneRing begin() {
        start();
        await(() -> membership.group().leads() && book.view() != null);
        if (view().formed()) {
            await(() -> arcs.servedArcs().contains(LoneNode.NID));
        }
        return this;
    }

    public void await(BooleanSupplier condition) {
        assertThat(lone.simulation.runUntil(condition, LIMIT_NANOS)).isTrue();
    }

    /** Begins to work again, as another process on the same disk. */
    public LoneRing restarted() {
        lone.restart();
        return new LoneRing(lone);
    }

    public RingView view() {
        return Objects.requireNonNull(book.view());
    }

    /** The replica of the arc that belongs to a super-peer. */
    public ArcReplica arc(int owner) {
        return arcs.all().stream()
                .filter(arc -> arc.ownerNid() == owner)
                .findFirst()
                .orElseThrow();
    }

    /** Commits a change of the ring. */
    public RingResult commit(RingCommand command) {
        CompletableFuture<RingResult> done = new CompletableFuture<>();
        lone.run(() -> Async.whenDone(membership.group().committer().commit(command), (result, failure) -> {
            if (failure == null) {
                done.complete(result);
            } else {
                done.completeExceptionally(failure);
            }
        }));
        await(done::isDone);
        return done.join();
    }

    /** Admits a super-peer that answers as given; returns its NID. */
    public int admit(String name, Answers answers) {
        UUID disk = new UUID(3, name.hashCode());
        HostAddress address = LoneNode.address(name);
        RingResult result = commit(new RingCommand.Admit(0, disk, name, address, address));
        int nid = ((RingResult.Admitted) result).nid();
        lone.serve(name, nid, answers);
        return nid;
    }

    /** Begins an operation of the ring; returns its id. */
    public int begin(RingOperation.Kind kind, int nid) {
        assertThat(commit(new RingCommand.Begin(0, kind, nid))).isEqualTo(new RingResult.Applied());
        return Objects.requireNonNull(view().operation()).id();
    }

    /** Commits the end of an operation, as if what it moves had moved. */
    public void finish(int operation) {
        assertThat(commit(new RingCommand.Switch(0, operation))).isEqualTo(new RingResult.Applied());
    }
}
