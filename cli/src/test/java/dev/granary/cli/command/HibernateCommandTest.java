package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.KeepingCluster;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.MessageType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link HibernateCommand} against one storage peer that answers as the tests say. */
class HibernateCommandTest {

    private static final HibernateReply DONE = new HibernateReply(true, 100, 100, "");
    private static final HibernateReply NOT_YET = new HibernateReply(false, 10, 100, "");

    private final KeepingCluster cluster = new KeepingCluster();
    private final Deque<HibernateReply> refusing = new ArrayDeque<>();
    private final Deque<HibernateReply> parking = new ArrayDeque<>();
    private HibernateReply working = DONE;

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Runs the command. The last answer to a step is that to all further ones. */
    private Run hibernate(String... options) {
        cluster.answer(MessageType.HIBERNATE, asked -> switch (asked.step()) {
            case REFUSE_CHANGES -> next(refusing);
            case PARK -> next(parking);
            case WORK -> working;
        });
        List<String> all = new ArrayList<>(List.of("hibernate", "--seeds", cluster.seed()));
        all.addAll(List.of(options));
        return Run.of(all.toArray(String[]::new));
    }

    private static HibernateReply next(Deque<HibernateReply> answers) {
        synchronized (answers) {
            return answers.size() > 1 ? answers.remove() : answers.getFirst();
        }
    }

    private List<Step> steps() {
        return cluster.asked(Hibernate.class).stream().map(Hibernate::step).toList();
    }

    /** What is parked while another storage peer still takes changes would lack these. */
    @Test
    void hibernate_changesTakeAWhile_parksOnlyWhenAllBackupsHaveThem() {
        Collections.addAll(refusing, NOT_YET, NOT_YET, DONE);
        Collections.addAll(parking, NOT_YET, DONE);
        Run run = hibernate();
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(steps())
                .containsExactly(Step.REFUSE_CHANGES, Step.REFUSE_CHANGES, Step.REFUSE_CHANGES, Step.PARK, Step.PARK);
        assertThat(run.output())
                .contains("1 storage peers refuse changes")
                .contains("1 of 1 storage peers are parked. Stop all processes, keep their disks");
    }

    @Test
    void hibernate_changesDoNotEnd_letsTheClusterGoOnAndSaysWhy() {
        refusing.add(new HibernateReply(false, 0, 0, "a migration is under way"));
        Run run = hibernate("--timeout", "1");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("goes on working: storage-0: a migration is under way");
        assertThat(steps()).endsWith(Step.WORK).doesNotContain(Step.PARK);
    }

    @Test
    void hibernate_backupsLackChangesButGiveNoReason_saysHowManyPeers() {
        refusing.add(NOT_YET);
        assertThat(hibernate("--timeout", "1").error())
                .contains("1 storage peers have changes that their backups do not have");
    }

    /** Some may be parked already, so the cluster cannot just go on. */
    @Test
    void hibernate_dumpCannotBeWritten_stopsAndNamesBothWaysOn() {
        refusing.add(DONE);
        parking.add(new HibernateReply(false, 10, 100, "its disk is full"));
        Run run = hibernate();
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error())
                .contains("storage-0: its disk is full")
                .contains("granary hibernate --cancel")
                .contains("call 'granary hibernate' again");
        assertThat(steps()).doesNotContain(Step.WORK);
    }

    @Test
    void hibernate_noStoragePeer_isSaid() {
        refusing.add(DONE);
        cluster.hasStorage = false;
        Run run = hibernate();
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("there is no storage peer to hibernate");
    }

    @Test
    void hibernate_timeoutOfNothing_isRefusedBeforeAnythingIsAsked() {
        Run run = hibernate("--timeout", "0");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("--timeout");
        assertThat(cluster.asked).isEmpty();
    }

    @Test
    void cancel_peerTakesChangesAgain_endsWithZero() {
        Run run = hibernate("--cancel");
        assertThat(run.code()).isZero();
        assertThat(run.output()).contains("1 of 1 storage peers take changes");
        assertThat(steps()).containsExactly(Step.WORK);
    }

    @Test
    void cancel_peerDoesNot_endsWithOneAndSaysWhy() {
        working = new HibernateReply(false, 0, 0, "it is writing its memory");
        Run run = hibernate("--cancel");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).contains("storage-0: it is writing its memory", "0 of 1");
    }
}
