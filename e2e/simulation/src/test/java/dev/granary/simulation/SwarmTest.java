package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.process.MemoryPlan;
import dev.granary.simulation.conditions.Tuning;
import dev.granary.storage.StorageMemory;
import dev.granary.superpeer.node.SuperPeerMemory;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SwarmTest {

    private static final int SEEDS = 300;
    private static final Set<FaultKind> ALL = FaultKind.parse("all");

    private static List<Map<FaultKind, Integer>> faults(boolean replicated) {
        return LongStream.range(0, SEEDS)
                .mapToObj(seed -> new Swarm(seed).faults(ALL, replicated))
                .toList();
    }

    @Test
    void faults_ofManySeeds_haveEachKindAndLackEachKind() {
        for (boolean replicated : new boolean[] {true, false}) {
            for (FaultKind kind : ALL) {
                long having = faults(replicated).stream()
                        .filter(counts -> counts.containsKey(kind))
                        .count();
                assertThat(having).as(kind.optionName()).isBetween(SEEDS / 30L, SEEDS * 29L / 30);
            }
        }
    }

    @Test
    void faults_withCopies_haveFewKindsThatWaitForEachOther() {
        assertThat(faults(true)).allSatisfy(counts -> {
            Set<FaultKind> inTurn = EnumSet.noneOf(FaultKind.class);
            counts.keySet().stream().filter(FaultKind::mayEndStoragePeer).forEach(inTurn::add);
            assertThat(inTurn.stream().filter(kind -> !kind.isSingle())).hasSizeBetween(1, 5);
            inTurn.stream().filter(FaultKind::isSingle).forEach(kind -> assertThat(counts)
                    .containsEntry(kind, 1));
        });
    }

    @Test
    void faults_ofFewKindsThatSomebodyChose_areAllThere() {
        Set<FaultKind> chosen = EnumSet.of(FaultKind.CRASH_PEER, FaultKind.LOSS, FaultKind.DRAIN);
        assertThat(LongStream.range(0, SEEDS).boxed())
                .allSatisfy(
                        seed -> assertThat(new Swarm(seed).faults(chosen, true)).containsOnlyKeys(chosen));
    }

    @Test
    void faults_ofASeed_areTheSameWithoutAnotherKind() {
        Set<FaultKind> others = EnumSet.copyOf(ALL);
        others.remove(FaultKind.LOSS);
        for (long seed = 0; seed < SEEDS; seed++) {
            Map<FaultKind, Integer> counts = new Swarm(seed).faults(ALL, false);
            counts.remove(FaultKind.LOSS);
            assertThat(new Swarm(seed).faults(others, false)).isEqualTo(counts);
        }
    }

    @Test
    void tuning_ofManySeeds_hasUsualAndSmallSizes() {
        List<Tuning> tunings = LongStream.range(0, SEEDS)
                .mapToObj(seed -> new Swarm(seed).tuning())
                .toList();
        List<Function<Tuning, Object>> values = Arrays.asList(
                Tuning::lidBlock,
                tuning -> tuning.replication().timeoutNanos(),
                tuning -> tuning.replication().bounds().pendingBytes(),
                tuning -> tuning.replication().bounds().largestChangeBytes(),
                tuning -> tuning.replication().bounds().heldBytes(),
                tuning -> tuning.replication().bounds().shippedBytes(),
                tuning -> tuning.replication().bounds().transferBytes(),
                Tuning::attempt,
                Tuning::requestChunks);
        for (Function<Tuning, Object> value : values) {
            assertThat(tunings.stream().map(value).collect(Collectors.toSet())).hasSize(3);
        }
        assertThat(tunings.stream().map(Tuning::log).collect(Collectors.toSet()))
                .hasSize(3)
                .contains(BackupLogOptions.defaults(), BackupLogOptions.small());
    }

    @Test
    void tuning_ofManySeeds_hasSmallPlansOfMemoryInHalfOfThem() {
        requireSmallPlans(StorageMemory.ample().plan(), Set.of("inbound-frames"), tuning -> tuning.memory()
                .plan());
        requireSmallPlans(
                SuperPeerMemory.ample().plan(),
                Set.of("inbound-frames", "arc-state", "arc-parts"),
                tuning -> tuning.superPeerMemory().plan());
    }

    private static void requireSmallPlans(MemoryPlan ample, Set<String> large, Function<Tuning, MemoryPlan> planOf) {
        List<MemoryPlan> small = LongStream.range(0, SEEDS)
                .mapToObj(seed -> planOf.apply(new Swarm(seed).tuning()))
                .filter(plan -> !List.copyOf(plan.shares()).equals(List.copyOf(ample.shares())))
                .toList();
        assertThat(small).hasSizeBetween(SEEDS * 4 / 10, SEEDS * 6 / 10);
        for (MemoryPlan.Share share : ample.shares()) {
            if (!large.contains(share.name())) {
                assertThat(small).as(share.name()).anyMatch(plan -> plan.bytes(share.name()) < share.limitBytes());
            }
        }
    }

    @Test
    void schedule_linkFaultsOfManySeeds_hitEachKindOfLink() {
        for (FaultKind kind : EnumSet.of(FaultKind.RESET, FaultKind.DUPLICATE)) {
            Set<String> links = LongStream.range(0, SEEDS)
                    .mapToObj(SeedPlan::of)
                    .flatMap(plan -> plan.schedule().faults().stream())
                    .filter(fault -> fault.kind() == kind)
                    .map(fault -> role(fault.target()) + " and " + role(fault.other()))
                    .collect(Collectors.toSet());
            assertThat(links)
                    .as(kind.optionName())
                    .contains("storage and storage", "super and super", "client and storage", "super and storage");
        }
    }

    private static String role(String node) {
        return node.substring(0, node.indexOf('-'));
    }

    @Test
    void schedule_ofASwarm_hasAsManyFaultsAsWereDrawnInsideTheBusyTime() {
        for (long seed = 0; seed < SEEDS; seed++) {
            SeedPlan plan = SeedPlan.of(seed).withSwarm(true);
            FaultSchedule schedule = plan.schedule();
            Map<FaultKind, Long> counts =
                    schedule.faults().stream().collect(Collectors.groupingBy(Fault::kind, Collectors.counting()));
            assertThat(counts.keySet()).isEqualTo(plan.swarmFaults().keySet());
            plan.swarmFaults().forEach((kind, count) -> assertThat(counts).containsEntry(kind, count.longValue()));
            assertThat(schedule.reserve()).isEmpty();
            assertThat(schedule.faults()).allMatch(fault -> fault.atNanos() < FaultSchedule.BUSY_NANOS);
        }
    }
}
