package dev.granary.operator.status;

import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.PodsView;

/**
 * Everything that is seen of a cluster at one moment.
 *
 * @param superPeers pods of the super-peers
 * @param storage pods of the storage peers
 * @param cluster what the super-peers say
 */
public record Observation(PodsView superPeers, PodsView storage, ClusterObserver.Answer cluster) {}
