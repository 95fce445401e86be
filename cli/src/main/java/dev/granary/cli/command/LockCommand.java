package dev.granary.cli.command;

import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.UserException;
import dev.granary.client.ChunkLock;
import dev.granary.client.GranaryClient;
import dev.granary.client.LockLostException;
import dev.granary.client.LockView;
import dev.granary.overlay.Cid;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes, renews, releases and shows client locks. */
@Command(
        name = "lock",
        mixinStandardHelpOptions = true,
        description = {
            "Hold the lock of a chunk: a lease with a token, which rises from holder to holder.",
            "'granary put --token TOKEN' and 'granary delete --token TOKEN' are refused once the lock has passed on.",
        },
        footer = {
            "",
            "  token=$(granary lock acquire $cid --lease 30)",
            "  granary put $cid --token $token \"mine\"",
            "  granary lock release $cid $token",
            "  granary lock run $cid -- ./job          holds the lock while the job runs",
        })
public final class LockCommand implements Runnable {

    /** Renewals in the time of one lease while a program runs. */
    private static final int RENEWALS = 3;

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Options: the time of the lease, and the time to wait for the lock. */
    static final class Terms {
        @Option(
                names = "--lease",
                paramLabel = "SECONDS",
                defaultValue = "10",
                description = "The lock ends by itself after this time without a renewal (default: ${DEFAULT-VALUE}).")
        private double leaseSeconds;

        @Option(
                names = "--wait",
                paramLabel = "SECONDS",
                defaultValue = "0",
                description = "How long to wait while another one holds the lock (default: ${DEFAULT-VALUE}).")
        private double waitSeconds;

        private ChunkLock lock(GranaryClient client, long cid) {
            return client.lock(cid, duration("--lease", leaseSeconds), duration("--wait", waitSeconds));
        }

        private static Duration duration(String option, double seconds) {
            if (!(seconds >= 0 && seconds <= TimeUnit.DAYS.toSeconds(1))) {
                throw new UserException(option + " is " + seconds + "; it must be 0 seconds to a day");
            }
            return Duration.ofNanos((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
        }
    }

    /**
     * A lock for programs.
     *
     * @param token as a text, because JSON's numbers are not exact enough in some languages
     */
    record Shown(String cid, boolean held, String token, double secondsLeft, int waiting) {
        static Shown of(long cid, LockView lock) {
            return new Shown(
                    Cid.toHex(cid),
                    lock.token() != 0,
                    Long.toString(lock.token()),
                    lock.remaining().toMillis() / 1e3,
                    lock.waiting());
        }
    }

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Say what to do: acquire, renew, release, show or run.");
    }

    @Command(mixinStandardHelpOptions = true, sortOptions = false, description = "Take a lock and print its token.")
    int acquire(
            @Mixin ConnectOptions connect,
            @Mixin Terms terms,
            @Parameters(paramLabel = "CID", converter = CidConverter.class) long cid) {
        try (GranaryClient client = connect.connect()) {
            System.out.println(terms.lock(client, cid).token());
        }
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Hold a lock for another lease.")
    int renew(
            @Mixin ConnectOptions connect,
            @Parameters(paramLabel = "CID", converter = CidConverter.class) long cid,
            @Parameters(paramLabel = "TOKEN") long token) {
        try (GranaryClient client = connect.connect()) {
            client.heldLock(cid, token).renew();
        }
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Give a lock back; one that has ended is none to give.")
    int release(
            @Mixin ConnectOptions connect,
            @Parameters(paramLabel = "CID", converter = CidConverter.class) long cid,
            @Parameters(paramLabel = "TOKEN") long token) {
        try (GranaryClient client = connect.connect()) {
            client.heldLock(cid, token).close();
        }
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Say who holds a lock, by the token.")
    int show(
            @Mixin ConnectOptions connect,
            @Mixin OutputOption output,
            @Parameters(paramLabel = "CID", converter = CidConverter.class) long cid) {
        try (GranaryClient client = connect.connect()) {
            LockView lock = client.lockView(cid);
            if (!output.isText()) {
                output.print(Shown.of(cid, lock), System.out);
            } else if (lock.token() == 0) {
                System.out.println("nobody holds the lock of " + Cid.toHex(cid));
            } else {
                System.out.printf(
                        "the lock of %s is held with the token %d for %.1f s more; %d wait for it%n",
                        Cid.toHex(cid), lock.token(), lock.remaining().toMillis() / 1e3, lock.waiting());
            }
        }
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Run a program while holding a lock, and renew the lease as long as it runs.",
                "The program finds the token in $GRANARY_LOCK_TOKEN; it is ended when the lock is lost.",
            })
    int run(
            @Mixin ConnectOptions connect,
            @Mixin Terms terms,
            @Parameters(index = "0", paramLabel = "CID", converter = CidConverter.class) long cid,
            @Parameters(index = "1..*", arity = "1..*", paramLabel = "PROGRAM") List<String> program)
            throws IOException, InterruptedException {
        try (GranaryClient client = connect.connect();
                ChunkLock lock = terms.lock(client, cid)) {
            ProcessBuilder builder = new ProcessBuilder(program).inheritIO();
            builder.environment().put("GRANARY_LOCK_TOKEN", Long.toString(lock.token()));
            Process process = builder.start();
            try {
                return await(process, lock);
            } finally {
                process.destroy();
            }
        }
    }

    private static int await(Process process, ChunkLock lock) throws InterruptedException {
        while (!process.waitFor(pauseNanos(lock), TimeUnit.NANOSECONDS)) {
            try {
                lock.renew();
            } catch (LockLostException e) {
                throw new UserException(e.getMessage() + "; the program is ended", e);
            }
        }
        return process.exitValue();
    }

    /**
     * Returns when to renew next. Little may be left of the first lease when the program has started; from the first
     * renewal on there is all of it again.
     */
    private static long pauseNanos(ChunkLock lock) {
        return Math.max(SHORTEST_PAUSE_NANOS, lock.remaining().toNanos() / RENEWALS);
    }
}
