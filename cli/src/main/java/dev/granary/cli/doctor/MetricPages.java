package dev.granary.cli.doctor;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reads the metrics of all processes that the status of a cluster names, twice and at the same time. */
final class MetricPages {

    private static final int TIMEOUT_MILLIS = 2_000;

    /** A process whose metrics are wanted. */
    private record Place(ProcessLook.Role role, String nid, String name, String httpAddress) {}

    /** What one request gave: samples, or why there are none. */
    private record Page(Samples samples, String failure) {}

    private final List<Place> places;

    private MetricPages(List<Place> places) {
        this.places = places;
    }

    /** The processes of a status; storage peers that have left for good are not asked. */
    static MetricPages of(JsonNode status) {
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
        return new MetricPages(places);
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

    private static Page page(Place place) {
        String url = "http://" + place.httpAddress + "/metrics";
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(url).toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            try (InputStream body = connection.getInputStream()) {
                return new Page(Samples.parse(new String(body.readAllBytes(), StandardCharsets.UTF_8)), "");
            } finally {
                connection.disconnect();
            }
        } catch (IOException | IllegalArgumentException e) {
            return new Page(Samples.NONE, url + " cannot be read: " + e.getMessage());
        }
    }
}
