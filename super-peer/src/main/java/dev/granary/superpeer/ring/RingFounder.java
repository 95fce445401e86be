package dev.granary.superpeer.ring;

import dev.granary.env.Steps;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a super-peer with an empty disk that was told to bootstrap may found a cluster (SAFETY rule
 * "bootstrap and restart"). Asks all seeds first, and refuses when one of them belongs to a cluster already: then the
 * flag is a mistake, or the disk was lost. Asks seeds without an answer again a few times; then the person's explicit
 * wish counts. Runs as tasks of the node's scheduler.
 */
final class RingFounder {

    private static final Logger LOG = LoggerFactory.getLogger(RingFounder.class);

    private static final int MAX_ATTEMPTS = 5;
    private static final long ASK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ATTEMPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Node node;
    private final Runnable mayFound;
    private final Steps steps;
    private @Nullable Attempt present;
    private boolean ended;

    /** @param mayFound called when the cluster may be founded; otherwise the process ends */
    RingFounder(Node node, Runnable mayFound) {
        this.node = node;
        this.mayFound = mayFound;
        this.steps = new Steps(node.environment().scheduler(), "ring-founding", ATTEMPT_PAUSE_NANOS);
    }

    void begin(HostAddress ownAddress) {
        List<HostAddress> others = node.config().seeds().stream()
                .filter(seed -> !seed.equals(ownAddress))
                .toList();
        make(1, others);
    }

    void stop() {
        ended = true;
    }

    /** Begins an attempt in place of the present one. If a step throws, the attempt is made again. */
    private void make(int number, List<HostAddress> seeds) {
        if (!ended) {
            Attempt attempt = new Attempt(number, seeds);
            present = attempt;
            steps.run(attempt::begin, () -> make(number, seeds));
        }
    }

    /** Asks the seeds that have given no answer so far, all at once. */
    private final class Attempt {
        private final int number;
        private final List<HostAddress> seeds;
        private final List<HostAddress> silent = new ArrayList<>();
        private int outstanding;

        private Attempt(int number, List<HostAddress> seeds) {
            this.number = number;
            this.seeds = seeds;
        }

        private void begin() {
            outstanding = seeds.size();
            if (seeds.isEmpty()) {
                end();
            }
            for (HostAddress seed : seeds) {
                node.ask(
                        seed,
                        Nid.NONE,
                        MessageType.GET_RING,
                        new Empty(),
                        ASK_TIMEOUT_NANOS,
                        (reply, failure) -> steps.run(() -> answered(seed, reply, failure), this::makeAgain));
            }
        }

        private void makeAgain() {
            if (present == this) {
                make(number, seeds);
            }
        }

        private void answered(HostAddress seed, @Nullable RingReply reply, @Nullable Throwable failure) {
            if (ended || present != this) {
                return;
            }
            if (reply != null) {
                ended = true;
                node.control()
                        .fail(
                                "ring.bootstrap is true and the data directory is empty, but the super-peer at " + seed
                                        + " already belongs to the cluster "
                                        + reply.ring().clusterId()
                                        + ". A cluster is founded once: set ring.bootstrap to false to join that one,"
                                        + " or bring back this super-peer's data directory.",
                                null);
                return;
            }
            boolean knowsNone =
                    failure instanceof RemoteErrorException refused && refused.code() == ErrorCode.RING_INCOMPLETE;
            if (!knowsNone) {
                LOG.atInfo()
                        .addKeyValue("address", seed)
                        .addKeyValue("attempt", number)
                        .log("a seed gives no answer before the bootstrap: {}", String.valueOf(failure));
                silent.add(seed);
            }
            outstanding--;
            if (outstanding == 0) {
                end();
            }
        }

        private void end() {
            if (!silent.isEmpty() && number < MAX_ATTEMPTS) {
                List<HostAddress> asked = List.copyOf(silent);
                steps.after(ATTEMPT_PAUSE_NANOS, () -> make(number + 1, asked));
                return;
            }
            if (!silent.isEmpty()) {
                LOG.atWarn()
                        .addKeyValue("silentSeeds", silent)
                        .log("founding a cluster without an answer of all seeds");
            }
            ended = true;
            mayFound.run();
        }
    }
}
