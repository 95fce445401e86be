package dev.granary.e2e.load.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of a door that misbehaves. */
@Timeout(30)
class RedisWorkerTest {

    private final RedisTally tally = new RedisTally(System.nanoTime());

    /** Returns what a client saw that has worked until something was so. */
    private Seen run(PlayedDoor door, boolean knowsClusters, BooleanSupplier until) throws Exception {
        RedisWorker worker =
                new RedisWorker(tally, door.address(), Access.OPEN, knowsClusters, new RedisKeys("test", 5), 42);
        Thread thread = Thread.ofPlatform().start(worker);
        try {
            while (!until.getAsBoolean()) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } finally {
            worker.stop();
            assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        }
        return new Seen(tally.json());
    }

    /** The line of JSON that the program prints. */
    private record Seen(String json) {
        int get(String field) {
            Matcher number = Pattern.compile("\"" + field + "\":(\\d+)").matcher(json);
            assertThat(number.find()).as(json).isTrue();
            return Integer.parseInt(number.group(1));
        }
    }

    private boolean hasWorked() {
        return tally.operations() > 60;
    }

    @Test
    void run_doorIsWell_everythingIsRight() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            Seen seen = run(door, false, this::hasWorked);
            assertThat(seen.get("wrong") + seen.get("failures")).isZero();
            assertThat(seen.get("operations")).isGreaterThan(60);
            assertThat(door.requests()).noneMatch(request -> request.startsWith("CLUSTER"));
        }
    }

    @Test
    void run_writeIsForgotten_isWrong() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            door.nextSets(Collections.nCopies(10, PlayedDoor.FORGET).toArray(String[]::new));
            Seen seen = run(door, false, this::hasWorked);
            assertThat(seen.get("wrong")).isPositive();
        }
    }

    @Test
    void run_everythingIsLostAtOnce_isWrong() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            Seen seen = run(door, true, () -> {
                boolean worked = hasWorked();
                if (worked) {
                    door.values().clear();
                }
                return worked;
            });
            assertThat(seen.get("wrong")).isGreaterThan(1);
        }
    }

    @Test
    void run_refusedForNow_isTriedAgain() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            door.next("TRYAGAIN busy", "CLUSTERDOWN Hash slot not served: x", "TRYAGAIN busy");
            Seen seen = run(door, false, this::hasWorked);
            assertThat(seen.get("wrong") + seen.get("failures")).isZero();
            assertThat(seen.get("unservedP99Millis")).isGreaterThanOrEqualTo(50);
        }
    }

    @Test
    void run_outcomesAreUnknown_areRightEitherWay() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            String lost = "ERR outcome unknown: the owner has not answered";
            door.nextSets(PlayedDoor.CLOSE, lost, PlayedDoor.CLOSE, lost);
            Seen seen = run(door, true, () -> hasWorked() && door.isDone());
            assertThat(seen.get("wrong") + seen.get("failures")).isZero();
            assertThat(seen.get("unknown")).isEqualTo(4);
        }
    }

    @Test
    void run_keyIsElsewhere_onlyClientsThatKnowOfClustersFollow() throws Exception {
        try (PlayedDoor door = new PlayedDoor();
                PlayedDoor owner = new PlayedDoor(door.values())) {
            String moved = "MOVED 7 " + owner.address();
            door.next(moved, moved);
            Seen seen = run(door, true, this::hasWorked);
            assertThat(seen.get("redirects")).isEqualTo(2);
            assertThat(seen.get("wrong") + seen.get("failures")).isZero();
            assertThat(owner.requests()).first().isEqualTo("CLUSTER SLOTS");
            assertThat(owner.requests()).hasSizeGreaterThan(5);
        }
    }

    @Test
    void run_clientWithoutClustersIsRedirected_isAFailure() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            door.next("MOVED 7 127.0.0.1:1");
            assertThat(run(door, false, this::hasWorked).get("failures")).isEqualTo(1);
        }
    }

    /** What a client was told to go to is there no more: it comes back to the Service. */
    @Test
    void run_ownerIsGone_comesBackToTheService() throws Exception {
        try (PlayedDoor door = new PlayedDoor()) {
            PlayedDoor gone = new PlayedDoor();
            String address = gone.address();
            gone.close();
            door.next("MOVED 7 " + address);
            Seen seen = run(door, true, this::hasWorked);
            assertThat(seen.get("redirects")).isEqualTo(1);
            assertThat(seen.get("wrong") + seen.get("failures")).isZero();
        }
    }
}
