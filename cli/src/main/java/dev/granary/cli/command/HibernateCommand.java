package dev.granary.cli.command;

import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.Hibernation;
import dev.granary.client.admin.Hibernation.Round;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Hibernates a cluster. */
@Command(
        name = "hibernate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Put the whole cluster to sleep, so that all its processes can be stopped.",
            "Changes are refused, what was changed goes to the backups, and each storage peer writes its memory to its disk.",
            "Then stop all processes and keep their disks. Start them again, under any address, and they go on where they",
            "were: nothing is lost, and nothing has to be loaded anew.",
        },
        footer = {"", "  granary hibernate", "  granary hibernate --cancel"})
public final class HibernateCommand implements Callable<Integer> {

    private static final long LOOK_MILLIS = 100;
    private static final long SAY_EVERY_LOOKS = 20;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Option(names = "--cancel", description = "Take changes again, after a hibernation that did not come to its end.")
    private boolean cancel;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to wait for what is being moved, recovered or replicated (${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Override
    public Integer call() {
        if (timeoutSeconds < 1) {
            throw new UserException("--timeout must be at least 1 second");
        }
        try (ClusterAdmin admin = connect.administer()) {
            Hibernation hibernation = new Hibernation(admin);
            return cancel ? wake(hibernation) : sleep(hibernation);
        }
    }

    private static int wake(Hibernation hibernation) {
        Round round = hibernation.ask(Step.WORK);
        round.problems().forEach(System.out::println);
        System.out.printf("%d of %d storage peers take changes%n", round.done(), round.peers());
        return round.isDone() ? 0 : 1;
    }

    private int sleep(Hibernation hibernation) {
        long looks = Duration.ofSeconds(timeoutSeconds).toMillis() / LOOK_MILLIS;
        Round refused = hibernation.ask(Step.REFUSE_CHANGES);
        for (; !refused.isDone() && looks > 0; looks--) {
            pause();
            refused = hibernation.ask(Step.REFUSE_CHANGES);
        }
        if (refused.peers() == 0) {
            throw new UserException("there is no storage peer to hibernate");
        }
        if (!refused.isDone()) {
            hibernation.ask(Step.WORK);
            throw new UserException("the cluster cannot hibernate and goes on working: " + reasons(refused));
        }
        System.out.printf("%d storage peers refuse changes and write their memory%n", refused.peers());
        return park(hibernation);
    }

    private static int park(Hibernation hibernation) {
        for (long look = 1; ; look++) {
            Round round = hibernation.ask(Step.PARK);
            if (round.isDone()) {
                System.out.printf(
                        "%d of %d storage peers are parked. Stop all processes, keep their disks; started again they go"
                                + " on where they were.%n",
                        round.done(), round.peers());
                return 0;
            }
            if (!round.problems().isEmpty()) {
                throw new UserException(reasons(round) + ". Fix that and call 'granary hibernate' again, or 'granary"
                        + " hibernate --cancel' to go on working");
            }
            if (look % SAY_EVERY_LOOKS == 0) {
                System.out.printf(
                        "%d of %d storage peers are parked, the others have written %s of %s%n",
                        round.done(), round.peers(), Sizes.bytes(round.dumpBytes()), Sizes.bytes(round.totalBytes()));
            }
            pause();
        }
    }

    private static String reasons(Round round) {
        List<String> problems = round.problems();
        return problems.isEmpty()
                ? (round.peers() - round.done()) + " storage peers have changes that their backups do not have"
                : String.join("; ", problems);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted; 'granary hibernate --cancel' allows changes again", e);
        }
    }
}
