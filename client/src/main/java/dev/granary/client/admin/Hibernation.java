package dev.granary.client.admin;

import dev.granary.client.GranaryException;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * Hibernates a whole cluster (ADR 0120). First all storage peers refuse changes. When all backups have the earlier
 * changes, each storage peer writes its memory to its disk and is parked. The caller asks for a step until {@link
 * Round#isDone}, with pauses. While no peer is parked it may ask all peers to work again.
 */
public final class Hibernation {

    private final ClusterAdmin admin;

    public Hibernation(ClusterAdmin admin) {
        this.admin = admin;
    }

    /**
     * The progress of all storage peers.
     *
     * @param peers number of storage peers
     * @param done number of storage peers that have done the step
     * @param dumpBytes bytes of dumps written so far
     * @param totalBytes expected bytes of dumps, an estimate
     * @param problems what prevents the step, one sentence each
     */
    public record Round(int peers, int done, long dumpBytes, long totalBytes, List<String> problems) {

        public Round {
            problems = List.copyOf(problems);
        }

        /** Whether all storage peers have done the step. */
        public boolean isDone() {
            return done == peers;
        }
    }

    /**
     * Asks every storage peer for a step and returns their progress.
     *
     * @throws GranaryException when a storage peer does not answer before the client's deadline
     */
    public Round ask(Step step) {
        int peers = 0;
        int done = 0;
        long dumpBytes = 0;
        long totalBytes = 0;
        List<String> problems = new ArrayList<>();
        for (PeerInfo peer : admin.view().peers()) {
            boolean hasEnded = peer.fencedEpoch() >= peer.epoch();
            if (hasEnded && !peer.live()) {
                continue;
            }
            peers++;
            if (peer.parked()) {
                done += step == Step.WORK ? 0 : 1;
                if (step == Step.WORK) {
                    problems.add(peer.name() + " is parked: start its process again, and it goes on");
                }
            } else if (!peer.live()) {
                problems.add(peer.name() + " holds no lease: wait until it is back or recovered");
            } else {
                HibernateReply reply = admin.hibernate(peer.nid(), step);
                done += reply.done() ? 1 : 0;
                dumpBytes += reply.dumpBytes();
                totalBytes += reply.totalBytes();
                if (!reply.problem().isEmpty()) {
                    problems.add(peer.name() + ": " + reply.problem());
                }
            }
        }
        return new Round(peers, done, dumpBytes, totalBytes, problems);
    }
}
