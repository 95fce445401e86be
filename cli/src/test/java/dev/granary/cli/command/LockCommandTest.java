package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.granary.cli.KeepingCluster;
import dev.granary.cli.base.Json;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.RenewLockReply;
import dev.granary.net.message.LockMessages.ShowLockReply;
import dev.granary.net.message.MessageType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link LockCommand} against a super-peer that grants one lock. */
class LockCommandTest {

    private static final String CID = "0x8000000000000001";
    private static final long TOKEN = 77;

    private final KeepingCluster cluster = new KeepingCluster();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @BeforeEach
    void grant() {
        cluster.answer(MessageType.ACQUIRE_LOCK, asks -> new AcquireLockReply(TOKEN, 0));
        cluster.answer(MessageType.RENEW_LOCK, asks -> new RenewLockReply(300_000_000));
        cluster.answer(MessageType.RELEASE_LOCK, asks -> new Empty());
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run lock(String... arguments) {
        List<String> all = new ArrayList<>(List.of("lock", arguments[0], "--seeds", cluster.seed()));
        all.addAll(List.of(arguments).subList(1, arguments.length));
        return Run.of(all.toArray(String[]::new));
    }

    @Test
    void acquire_free_printsTheTokenAndKeepsTheLock() {
        Run run = lock("acquire", CID, "--lease", "2.5");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output().strip()).isEqualTo("77");
        assertThat(cluster.asked(AcquireLock.class)).singleElement().satisfies(asked -> assertThat(asked.leaseNanos())
                .isEqualTo(2_500_000_000L));
        assertThat(cluster.asked(ReleaseLock.class)).isEmpty();
    }

    @Test
    void acquire_heldByAnother_failsWithoutAWait() {
        cluster.answer(MessageType.ACQUIRE_LOCK, asks -> new AcquireLockReply(0, 4_000_000_000L));
        Run run = lock("acquire", CID);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains(CID);
    }

    @Test
    void terms_outOfRange_areRefusedBeforeAnythingIsAsked() {
        for (String lease : List.of("-1", "86401", "NaN")) {
            Run run = lock("acquire", CID, "--lease=" + lease);
            assertThat(run.code()).as(lease).isEqualTo(1);
            assertThat(run.error()).contains("--lease is").contains("0 seconds to a day");
        }
        assertThat(lock("acquire", CID, "--wait=-0.1").error()).contains("--wait is");
        assertThat(cluster.asked).isEmpty();
    }

    @Test
    void renewAndRelease_token_areAskedOfTheSuperPeer() {
        assertThat(lock("renew", CID, "77").code()).isZero();
        assertThat(lock("release", CID, "77").code()).isZero();
        assertThat(cluster.asked)
                .containsExactly(
                        new RenewLock(0x8000_0000_0000_0001L, TOKEN), new ReleaseLock(0x8000_0000_0000_0001L, TOKEN));
    }

    @Test
    void renew_lockHasEnded_fails() {
        cluster.refuse(MessageType.RENEW_LOCK, ErrorCode.UNKNOWN_LEASE, "no such lock");
        Run run = lock("renew", CID, "77");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains(CID);
    }

    @Test
    void show_heldOrFree_saysSo() {
        cluster.answer(MessageType.SHOW_LOCK, asks -> new ShowLockReply(TOKEN, 4_500_000_000L, 2));
        assertThat(lock("show", CID).output()).contains("token 77 for 4.5 s more; 2 wait");
        cluster.answer(MessageType.SHOW_LOCK, asks -> new ShowLockReply(0, 0, 0));
        assertThat(lock("show", CID).output()).contains("nobody holds the lock of " + CID);
    }

    @Test
    void show_forPrograms_hasTheSameInJsonAndYaml() throws Exception {
        cluster.answer(MessageType.SHOW_LOCK, asks -> new ShowLockReply(TOKEN, 4_500_000_000L, 2));
        JsonNode json = Json.parse("a lock", lock("show", CID, "-o", "json").output());
        assertThat(json.path("cid").asText()).isEqualTo(CID);
        assertThat(json.path("held").asBoolean()).isTrue();
        assertThat(json.path("token").asText()).isEqualTo("77");
        assertThat(json.path("secondsLeft").asDouble()).isEqualTo(4.5);
        assertThat(json.path("waiting").asInt()).isEqualTo(2);
        assertThat(new YAMLMapper().readTree(lock("show", CID, "-o", "yaml").output()))
                .isEqualTo(json);
        cluster.answer(MessageType.SHOW_LOCK, asks -> new ShowLockReply(0, 0, 0));
        assertThat(Json.parse("no lock", lock("show", CID, "-o", "json").output())
                        .path("held")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void run_program_hasTheTokenAndItsExitCodeAndTheLockIsReleased() throws Exception {
        Path told = folder.resolve("token");
        Run run = lock("run", CID, "--", "sh", "-c", "echo $GRANARY_LOCK_TOKEN > " + told + "; exit 7");
        assertThat(run.code()).as(run.error()).isEqualTo(7);
        assertThat(Files.readString(told).strip()).isEqualTo("77");
        assertThat(cluster.asked(ReleaseLock.class)).hasSize(1);
    }

    /** With a lease of less than two seconds a busy machine has lost the lock before it has started the program. */
    @Test
    void run_programTakesLongerThanALease_isRenewedMeanwhile() {
        cluster.answer(MessageType.RENEW_LOCK, asks -> new RenewLockReply(2_000_000_000));
        Run run = lock("run", CID, "--lease", "2", "--", "sleep", "3");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(cluster.asked(RenewLock.class)).hasSizeBetween(2, 6);
    }

    /**
     * The pause was a third of what was left of the first lease, for as long as the program ran. On a busy machine that
     * was little, so the lock was renewed all the time.
     */
    @Test
    void run_moreIsLeftOfTheLeaseAfterARenewal_theNextComesLater() {
        cluster.answer(MessageType.RENEW_LOCK, asks -> new RenewLockReply(60_000_000_000L));
        Run run = lock("run", CID, "--lease", "2", "--", "sleep", "2.5");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(cluster.asked(RenewLock.class)).hasSize(1);
    }

    /** Another one may hold the lock now, so the program must not go on. */
    @Test
    void run_lockIsLost_endsTheProgramAndFails() throws Exception {
        cluster.refuse(MessageType.RENEW_LOCK, ErrorCode.UNKNOWN_LEASE, "no such lock");
        Path alive = folder.resolve("alive");
        long begun = System.nanoTime();
        Run run = lock("run", CID, "--lease", "0.3", "--", "sh", "-c", "exec sleep 30; touch " + alive);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("the program is ended");
        assertThat(System.nanoTime() - begun).isLessThan(20_000_000_000L);
        assertThat(alive).doesNotExist();
    }

    @Test
    void run_noSuchProgram_releasesTheLock() {
        Run run = lock("run", CID, "--", folder.resolve("nothing").toString());
        assertThat(run.code()).isNotZero();
        assertThat(run.error()).contains("nothing");
        assertThat(cluster.asked(ReleaseLock.class)).hasSize(1);
    }

    @Test
    void lock_withoutAVerb_saysWhatThereIs() {
        Run run = Run.of("lock");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error()).contains("acquire, renew, release, show or run");
    }
}
