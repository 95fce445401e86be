package dev.granary.storage.lease;

import dev.granary.overlay.HostAddress;
import java.util.UUID;

/**
 * What a storage peer says about itself.
 *
 * @param diskId the durable id of its data directory
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param capacityBytes size of its chunk memory
 */
public record PeerDescription(
        UUID diskId, String name, HostAddress address, HostAddress httpAddress, long capacityBytes) {}
