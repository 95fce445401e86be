package dev.granary.cli.doctor;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.command.NodePages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reads the metrics of all processes that the status of a cluster names, twice and at the same time. */
final class MetricPages {

    /** A process whose metrics are wanted. */
    private record Place(ProcessLook.Role role, String nid, String name, String httpAddress) {}

    /** What one request gave: samples, or why there are none. */
    private record Page(Samples samples, String failure) {}

    private final List<Place> places;
    private final NodePages pages;

    private MetricPages(List<Place> places, NodePages pages) {
        this.places = places;
        this.pages = pages;
    }

    /** The processes of a status; storage peers that have left for good are not asked. */
    static MetricPages of(JsonNode status, NodePages pages) {
        List<Place> places = new ArrayList<>();
        Evidence.stream(status.path("storagePeers"))
                .filter(peer -> peer.path("state").asText().equals("live")
                        || peer.path("zones").asLong() + peer.path("copies").asLong() > 0)
                .filter(peer -> !peer.path("state").asText().equals("parked"))
                .forEach(peer -> places.add(place(ProcessLook.Role.STORAGE_PEER, peer)));
        for (String group : List.of("superPeers", "candidates")) {
            Evidence.stream(status.at("/ring/" + group))
                    .forEach(peer -> places.add(place(ProcessLook.Role.SUPER_PEER, peer)));
        }
        return new MetricPages(places, pages);
    }

    private static Place place(ProcessLook.Role role, JsonNode peer) {
        return new Place(
                role,
                peer.path("nid").asText(),
                peer.path("name").asText(),
                peer.path("httpAddress").asText());
    }

    /**
     * Reads the metrics twice.
     *
     * @param pause waits between the two looks
     */
    List<ProcessLook> look(Runnable pause) {
        Map<Place, Page> earlier = all();
        pause.run();
        Map<Place, Page> now = all();
        return places.stream()
                .map(place -> look(place, requireNonNull(earlier.get(place)), requireNonNull(now.get(place))))
                .toList();
    }

    private static ProcessLook look(Place place, Page earlier, Page now) {
        if (!now.failure.isEmpty()) {
            return ProcessLook.unseen(place.role, place.nid, place.name, now.failure);
        }
        Samples before = earlier.failure.isEmpty() ? earlier.samples : now.samples;
        return ProcessLook.of(place.role, place.nid, place.name, before, now.samples);
    }

    private Map<Place, Page> all() {
        Map<Place, Page> pages = new ConcurrentHashMap<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            places.forEach(place -> executor.execute(() -> pages.put(place, page(place))));
        }
        return pages;
    }

    private Page page(Place place) {
        try {
            return new Page(Samples.parse(pages.read(place.httpAddress, "/metrics")), "");
        } catch (IOException | IllegalArgumentException e) {
            return new Page(Samples.NONE, place.httpAddress + "/metrics cannot be read: " + e.getMessage());
        }
    }
}
