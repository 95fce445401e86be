package dev.granary.superpeer.migration;

import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.Survey;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.MigrationMessages.SurveyReply.Piece;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes the moves of rebalance plans: asks all arcs for their storage peers, and owners for their chunks. Changes
 * nothing. Runs as tasks of the node's scheduler, on which the futures complete.
 */
public final class PlanMaker {

    /** The most LIDs of a move: few enough that requests hardly wait at its end. */
    private static final int MOVE_LIDS = 1 << 16;

    private static final int MIN_MOVE_LIDS = 64;
    private static final int MOVES_OF_SHARE = 32;

    /** The factor from the payload of moved chunks to the room that they may take, with some room to spare. */
    private static final double ROOM_FACTOR = 1.3;

    private static final double MAX_FILL = 0.9;
    private static final int MAX_MOVES = 20_000;

    /** A storage peer that is busy gets half a second, one, two and four to tell what it has: 7.5 seconds in all. */
    private static final int SURVEY_TRIES = 4;

    private final ArcState state;
    private final ArcCaller arcs;
    private final Supplier<@Nullable Ring> ring;

    /** Says to people why there can be no plan. */
    static final class ImpossiblePlanException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ImpossiblePlanException(String message) {
            super(message, null, false, false);
        }
    }

    public PlanMaker(ArcState state, ArcCaller arcs, Supplier<@Nullable Ring> ring) {
        this.state = state;
        this.arcs = arcs;
        this.ring = ring;
    }

    /**
     * Returns the moves of a new plan. Fails with an {@link ImpossiblePlanException} that says why there can be none.
     */
    CompletableFuture<List<Move>> make(StartPlan asked) {
        return peers().thenCompose(peers -> switch (asked.kind()) {
            case MOVE -> move(peers, asked);
            case DRAIN -> drain(peers, asked.nid(), Set.of());
            case SPREAD -> spread(peers, asked.nid(), 1);
        });
    }

    /**
     * Returns the moves for what is still on a storage peer that is drained, to targets other than those that have
     * failed.
     */
    CompletableFuture<List<Move>> rest(int nid, Set<Integer> failedTargets) {
        return peers().thenCompose(peers -> drain(peers, nid, failedTargets));
    }

    /** Returns the moves that give a storage peer its share, or none when the share is less than {@code minBytes}. */
    CompletableFuture<List<Move>> share(int nid, long minBytes) {
        return peers().thenCompose(peers -> spread(peers, nid, minBytes));
    }

    /**
     * Returns how many copies of zones a storage peer has to hold, summed over all arcs. Fails when a super-peer does
     * not answer.
     */
    CompletableFuture<Long> copiesOn(int nid) {
        return sum(told -> told.peers().stream()
                .filter(holding -> holding.nid() == nid)
                .mapToLong(ZoneStatus.Holding::copies)
                .sum());
    }

    /**
     * Returns how many zones of all arcs have no owner and wait for no member, so that a storage peer needs room for
     * each. Fails when a super-peer does not answer.
     */
    CompletableFuture<Long> zonesThatNeedRoom() {
        return sum(told -> told.recoveries().stream()
                .filter(recovery -> recovery.waitingFor().isEmpty())
                .count());
    }

    private CompletableFuture<Long> sum(ToLongFunction<ZoneStatus> part) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        Ring current = ring.get();
        if (current == null) {
            done.completeExceptionally(new ImpossiblePlanException("there is no ring yet"));
            return done;
        }
        int[] outstanding = {current.members().size()};
        long[] sum = {0};
        for (RingMember member : current.members()) {
            arcs.callNode(member.address(), member.nid(), MessageType.ZONE_STATUS, new Empty(), (told, failure) -> {
                if (told == null) {
                    done.completeExceptionally(new ImpossiblePlanException("a super-peer does not answer"));
                    return;
                }
                sum[0] += part.applyAsLong(told);
                if (--outstanding[0] == 0) {
                    done.complete(sum[0]);
                }
            });
        }
        return done;
    }

    private CompletableFuture<Map<Integer, PeerInfo>> peers() {
        CompletableFuture<Map<Integer, PeerInfo>> done = new CompletableFuture<>();
        Ring current = ring.get();
        if (current == null) {
            done.completeExceptionally(new ImpossiblePlanException("there is no ring yet"));
            return done;
        }
        Map<Integer, PeerInfo> peers = new TreeMap<>();
        int[] outstanding = {current.members().size()};
        for (RingMember member : current.members()) {
            arcs.askPatiently(
                    member.address(), member.nid(), MessageType.LIST_PEERS, new Empty(), 2, (list, failure) -> {
                        if (list != null) {
                            list.peers().forEach(peer -> peers.put(peer.nid(), peer));
                        }
                        if (--outstanding[0] == 0) {
                            done.complete(peers);
                        }
                    });
        }
        return done;
    }

    private static PeerInfo live(Map<Integer, PeerInfo> peers, int nid) {
        PeerInfo peer = peers.get(nid);
        if (peer == null || !peer.live()) {
            throw new ImpossiblePlanException("there is no storage peer " + Nid.toHex(nid) + " with a lease");
        }
        return peer;
    }

    private CompletableFuture<List<Move>> move(Map<Integer, PeerInfo> peers, StartPlan asked) {
        live(peers, asked.nid());
        CidRange group = state.slotGroup(Cid.nid(asked.startCid()));
        if (group != null && !MigrationService.isWhole(group, asked.startCid(), asked.endCidInclusive())) {
            throw new ImpossiblePlanException(MigrationService.partOfGroupMessage(group));
        }
        List<CompletableFuture<List<Piece>>> surveys = new ArrayList<>();
        for (CidRange range : state.rangesIn(asked.startCid(), asked.endCidInclusive())) {
            int owner = range.placement().owner();
            if (owner != Nid.NONE && owner != asked.nid()) {
                long start = max(range.startCid(), asked.startCid());
                long end = min(range.endCidInclusive(), asked.endCidInclusive());
                surveys.add(survey(live(peers, owner), start, end, Long.MAX_VALUE, MOVE_LIDS));
            }
        }
        return all(surveys)
                .thenApply(pieces ->
                        pieces.stream().map(piece -> moveOf(piece, asked.nid())).toList());
    }

    private static Move moveOf(Piece piece, int target) {
        return new Move(
                piece.startCid(), piece.endCidInclusive(), target, piece.chunks(), piece.bytes(), Move.State.PENDING);
    }

    private CompletableFuture<List<Move>> drain(Map<Integer, PeerInfo> peers, int nid, Set<Integer> without) {
        PeerInfo leaving = live(peers, nid);
        List<PeerInfo> targets = peers.values().stream()
                .filter(peer -> peer.live()
                        && peer.nid() != nid
                        && peer.drain() == PeerInfo.Drain.NONE
                        && !without.contains(peer.nid()))
                .toList();
        if (targets.isEmpty()) {
            throw new ImpossiblePlanException("there is no other storage peer that could take what " + Nid.toHex(nid)
                    + " has; add one, or try again later");
        }
        return survey(leaving, 0, -1L, Long.MAX_VALUE, MOVE_LIDS).thenApply(pieces -> assign(pieces, targets));
    }

    /** Gives each piece to the peer with the most room left. */
    private static List<Move> assign(List<Piece> pieces, List<PeerInfo> targets) {
        long[] room = targets.stream().mapToLong(PlanMaker::roomOf).toArray();
        List<Move> moves = new ArrayList<>();
        long missing = 0;
        for (Piece piece : pieces) {
            int best = 0;
            for (int i = 1; i < room.length; i++) {
                best = room[i] > room[best] ? i : best;
            }
            long needed = (long) (piece.bytes() * ROOM_FACTOR);
            missing += Math.max(0, needed - Math.max(0, room[best]));
            room[best] -= needed;
            moves.add(moveOf(piece, targets.get(best).nid()));
        }
        if (missing > 0) {
            throw new ImpossiblePlanException(
                    "the other storage peers have " + missing + " bytes too little room; add storage peers or memory");
        }
        return moves;
    }

    private static long roomOf(PeerInfo peer) {
        return (long) (peer.statistics().capacityBytes() * MAX_FILL)
                - peer.statistics().usedBytes();
    }

    /**
     * Returns the moves that give a storage peer its share. Each peer that is fuller than the average gives a part of
     * its surplus, as far as the peer lacks it.
     */
    private CompletableFuture<List<Move>> spread(Map<Integer, PeerInfo> peers, int nid, long minBytes) {
        PeerInfo taker = live(peers, nid);
        Collection<PeerInfo> all =
                peers.values().stream().filter(PeerInfo::live).toList();
        double fill = (double) all.stream()
                        .mapToLong(peer -> peer.statistics().payloadBytes())
                        .sum()
                / Math.max(
                        1,
                        all.stream()
                                .mapToLong(peer -> peer.statistics().capacityBytes())
                                .sum());
        long lacking = Math.min(-surplus(taker, fill), (long) (roomOf(taker) / ROOM_FACTOR));
        if (lacking < minBytes) {
            return CompletableFuture.completedFuture(List.of());
        }
        long offered =
                all.stream().mapToLong(peer -> Math.max(0, surplus(peer, fill))).sum();
        List<CompletableFuture<List<Piece>>> surveys = new ArrayList<>();
        for (PeerInfo donor : all) {
            long share = (long) ((double) Math.max(0, surplus(donor, fill)) * lacking / Math.max(1, offered));
            if (donor.nid() != nid && share > 0) {
                surveys.add(survey(donor, 0, -1L, share, lidsOf(donor, share)));
            }
        }
        return all(surveys).thenApply(pieces -> pieces.stream()
                .filter(piece -> piece.chunks() > 0)
                .map(piece -> moveOf(piece, nid))
                .toList());
    }

    private static long surplus(PeerInfo peer, double fill) {
        return peer.statistics().payloadBytes()
                - (long) (fill * peer.statistics().capacityBytes());
    }

    /**
     * The number of LIDs of one move when a peer gives {@code shareBytes} away: about a thirty-second part of the
     * share.
     */
    private static int lidsOf(PeerInfo donor, long shareBytes) {
        double part = (double) shareBytes / Math.max(1, donor.statistics().payloadBytes());
        return Math.clamp((long) (part * donor.statistics().chunks() / MOVES_OF_SHARE), MIN_MOVE_LIDS, MOVE_LIDS);
    }

    /** Returns what a peer owns of a span, up to {@code maxBytes}, in pieces of {@code maxLids} LIDs at most. */
    private CompletableFuture<List<Piece>> survey(
            PeerInfo peer, long startCid, long endCidInclusive, long maxBytes, int maxLids) {
        CompletableFuture<List<Piece>> done = new CompletableFuture<>();
        survey(peer, new Survey(startCid, endCidInclusive, maxLids), maxBytes, new ArrayList<>(), done);
        return done;
    }

    private void survey(
            PeerInfo peer, Survey request, long maxBytes, List<Piece> found, CompletableFuture<List<Piece>> done) {
        arcs.askPatiently(peer.address(), peer.nid(), MessageType.SURVEY, request, SURVEY_TRIES, (reply, failure) -> {
            if (reply == null) {
                done.completeExceptionally(new ImpossiblePlanException("storage peer " + Nid.toHex(peer.nid())
                        + " does not tell what it has, though it was asked several times: "
                        + (failure == null ? "no answer" : failure.getMessage())));
                return;
            }
            long bytes = found.stream().mapToLong(Piece::bytes).sum();
            Iterator<Piece> pieces = reply.pieces().iterator();
            while (pieces.hasNext() && bytes < maxBytes) {
                Piece piece = pieces.next();
                found.add(piece);
                bytes += piece.bytes();
            }
            if (found.size() > MAX_MOVES) {
                done.completeExceptionally(new ImpossiblePlanException(
                        "more than " + MAX_MOVES + " moves at once; move a part of the range first"));
            } else if (isLast(reply) || bytes >= maxBytes) {
                done.complete(found);
            } else {
                survey(
                        peer,
                        new Survey(reply.nextCid(), request.endCidInclusive(), request.maxLids()),
                        maxBytes,
                        found,
                        done);
            }
        });
    }

    private static boolean isLast(SurveyReply reply) {
        return reply.nextCid() == Cid.NONE;
    }

    private static CompletableFuture<List<Piece>> all(List<CompletableFuture<List<Piece>>> surveys) {
        return CompletableFuture.allOf(surveys.toArray(CompletableFuture[]::new))
                .thenApply(ended -> {
                    List<Piece> pieces = new ArrayList<>();
                    surveys.forEach(survey -> pieces.addAll(survey.join()));
                    return pieces;
                });
    }

    private static long min(long left, long right) {
        return Cid.compare(left, right) < 0 ? left : right;
    }

    private static long max(long left, long right) {
        return Cid.compare(left, right) < 0 ? right : left;
    }
}
