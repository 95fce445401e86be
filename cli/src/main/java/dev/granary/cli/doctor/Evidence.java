package dev.granary.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What the doctor has seen of a cluster.
 *
 * @param status the cluster's status (docs/formats/status.md), a missing node when no super-peer answers
 * @param processes what was seen of each process
 * @param resource the Granary resource, a missing node outside of Kubernetes
 * @param pods the pods of the resource
 * @param at the time of the look
 */
public record Evidence(
        JsonNode status, List<ProcessLook> processes, JsonNode resource, List<JsonNode> pods, Instant at) {

    /** A cluster that is looked at by its super-peers alone. */
    public static Evidence of(JsonNode status, List<ProcessLook> processes, Instant at) {
        return new Evidence(status, processes, MissingNode.getInstance(), List.of(), at);
    }

    /** The processes of a role. */
    Stream<ProcessLook> processes(ProcessLook.Role role) {
        return processes.stream().filter(process -> process.role() == role);
    }

    /** The storage peers whose metrics were read. */
    Stream<ProcessLook> seenStoragePeers() {
        return processes(ProcessLook.Role.STORAGE_PEER).filter(ProcessLook::isSeen);
    }

    /** The storage peers of the status. */
    Stream<JsonNode> storagePeers() {
        return stream(status.path("storagePeers"));
    }

    /** The state of a storage peer by the status, empty when the status does not list it. */
    String stateOf(String nid) {
        return storagePeers()
                .filter(peer -> peer.path("nid").asText().equals(nid))
                .map(peer -> peer.path("state").asText())
                .findFirst()
                .orElse("");
    }

    /** The elements of an array. */
    public static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** A storage peer or super-peer of the status as people see it. */
    static String text(JsonNode peer) {
        return peer.path("name").asText() + " (" + peer.path("nid").asText() + ")";
    }
}
