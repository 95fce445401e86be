package dev.granary.e2e.load.redis;

import dev.granary.e2e.load.Certificates;
import dev.granary.e2e.load.LoadProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Clients of Redis as a process, half of which know of clusters. It works until a file appears, reads everything once
 * more, and ends with one line of JSON. A wrong answer is a value other than the last acknowledged one. A failure is an
 * operation without an answer for a minute, or with an error that no client expects.
 */
public final class RedisLoad {

    private static final int KEYS = 200;
    private static final long LOOK_MILLIS = 100;

    private RedisLoad() {}

    /**
     * Runs the load.
     *
     * @param arguments host and port that lead to any door, the number of clients, the folder in which the file
     *     {@code stop} appears, and {@code user:password[,password]} where the clients must log in
     */
    public static void main(String[] arguments) throws InterruptedException {
        Path stop = Path.of(arguments[2], "stop");
        long beganNanos = System.nanoTime();
        RedisTally tally = new RedisTally(beganNanos);
        Access access = Access.of(Certificates.folder(), arguments.length > 3 ? arguments[3] : null);
        List<RedisWorker> workers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            // A key of an earlier run would have a value that this one does not know.
            RedisKeys keys = new RedisKeys("e2e:" + Long.toHexString(beganNanos) + ":" + i, KEYS);
            RedisWorker worker = new RedisWorker(tally, arguments[0], access, i % 2 == 0, keys, i);
            workers.add(worker);
            threads.add(Thread.ofPlatform().name("redis-client-" + i).start(worker));
        }
        boolean started = false;
        long seconds = 0;
        while (!Files.exists(stop)) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            if (!started && tally.operations() > 0) {
                started = true;
                System.out.println("STARTED");
            }
            long worked = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
            if (started && worked > seconds) {
                seconds = worked;
                System.out.println(LoadProgram.SECONDS + seconds);
            }
        }
        workers.forEach(RedisWorker::stop);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(LoadProgram.RESULT + tally.json());
    }
}
