package dev.granary.storage.lease;

import dev.granary.overlay.HostAddress;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a storage peer says about itself.
 *
 * @param diskId the durable id of its data directory
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param capacityBytes size of its chunk memory
 * @param machine the label of the machine that it runs on, empty for none
 * @param failureZone the label of the failure zone that it runs in, empty for none
 * @param resumeDump the dump of its memory that it has from a planned stop, 0 for none
 * @param redisAddress where it serves Redis clients, null when it does not
 */
public record PeerDescription(
        UUID diskId,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        long capacityBytes,
        String machine,
        String failureZone,
        long resumeDump,
        @Nullable HostAddress redisAddress) {}
