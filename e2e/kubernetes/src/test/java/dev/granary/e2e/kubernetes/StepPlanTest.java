package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which steps are run; no request goes to any cluster. */
class StepPlanTest {

    private static final String UNDER_LOAD = "under load: ";
    private static final String SAMPLE = UNDER_LOAD + "peer-lost";

    private static List<String> steps(String options) {
        Options parsed = Options.parse((OptionsTest.COMPLETE + options).split(" ", -1));
        try (Target target = new Target(parsed)) {
            return new StepPlan(target, new Report(), new InstallationSteps(target), new MonitoringSteps(target))
                    .steps().stream().map(Step::name).toList();
        }
    }

    @Test
    void steps_noCases_onlyTheSampleUnderLoad() {
        assertThat(steps(""))
                .hasSizeGreaterThan(10)
                .filteredOn(step -> step.startsWith(UNDER_LOAD))
                .containsExactly(SAMPLE);
    }

    @Test
    void steps_allCases_haveTheSampleOnce() {
        assertThat(steps(" --all true"))
                .containsOnlyOnce(SAMPLE)
                .filteredOn(step -> step.startsWith(UNDER_LOAD))
                .hasSizeGreaterThan(15)
                .doesNotContain(UNDER_LOAD + "chaos");
    }

    @Test
    void steps_oneCase_haveThatOneOnly() {
        assertThat(steps(" --only peer-lost"))
                .filteredOn(step -> step.startsWith(UNDER_LOAD))
                .containsExactly(SAMPLE);
    }

    @Test
    void steps_dashboards_areDrawnAfterAllFaults() {
        assertThat(steps(" --all true"))
                .filteredOn(step -> step.startsWith(UNDER_LOAD) || step.startsWith("each dashboard is drawn"))
                .last()
                .asString()
                .startsWith("each dashboard is drawn");
        assertThat(steps(" --only peer-lost")).noneMatch(step -> step.startsWith("each dashboard is drawn"));
    }

    /** Each dashboard wants data in the minutes before it is asked. */
    @Test
    void steps_withoutCases_useTheDoorsJustBeforeTheDashboardsAreAsked() {
        List<String> all = steps("");
        int dashboards = all.indexOf("every query of the dashboards returns data");
        assertThat(all.get(dashboards - 1)).isEqualTo("clients of Redis: they write and read keys through the Service");
        assertThat(all).noneMatch(step -> step.contains("outlive a storage peer"));
    }

    @Test
    void steps_caseOfRedis_runsAloneAndWithAll() {
        String outlives = "clients of Redis: their keys outlive a storage peer and a rolling update";
        assertThat(steps(" --only redis")).hasSize(5).containsOnlyOnce(outlives);
        assertThat(steps(" --all true")).containsOnlyOnce(outlives);
    }

    @Test
    void steps_alerts_areAskedBeforeTheFirstFaultAndAtTheEnd() {
        for (String options : List.of("", " --all true")) {
            List<String> all = steps(options);
            int planned = all.indexOf("no alert has fired in all planned work");
            int end = all.indexOf("at the end every alert can be evaluated, and none goes on firing");
            assertThat(planned).isPositive().isLessThan(all.indexOf(SAMPLE));
            assertThat(end).isGreaterThan(all.indexOf(SAMPLE));
            assertThat(all.subList(0, planned))
                    .contains("kubectl scale to 3: everything leaves two peers, then their pods go");
        }
    }

    /** See {@link ExampleSteps}. */
    @Test
    void steps_examplesOfTheGuide_haveClustersOfTheirOwnAndComeWithAll() {
        assertThat(steps(" --only examples")).hasSize(6);
        assertThat(steps(" --all true"))
                .filteredOn(step -> step.startsWith("examples:"))
                .hasSize(4);
        assertThat(steps("")).noneMatch(step -> step.startsWith("examples:"));
    }

    /** See {@link PluginSteps}. */
    @Test
    void steps_plugin_isCalledInEachWholeRun() {
        assertThat(steps("")).containsOnlyOnce("kubectl granary shows and examines the cluster");
    }

    /** See {@link SecureSteps}, {@link SecretSteps}, {@link HttpTlsSteps} and {@link PolicySteps}. */
    @Test
    void steps_casesOfTls_haveAClusterOfTheirOwnAndComeWithAll() {
        assertThat(steps(" --only tls-rotate,users")).hasSize(6).noneMatch(step -> step.contains("the CA changes"));
        assertThat(steps(" --only ca-rotate"))
                .hasSize(5)
                .containsOnlyOnce("TLS: the CA changes under load, then every pod is replaced");
        assertThat(steps(" --only secret-change"))
                .hasSize(5)
                .containsOnlyOnce("the cluster's secret changes under load");
        assertThat(steps(" --all true"))
                .containsOnlyOnce("TLS: all certificates change under load")
                .containsOnlyOnce("the cluster's secret changes under load")
                .containsOnlyOnce("users: a password changes under load")
                .containsOnlyOnce("TLS: the HTTP ports get it and lose it under load")
                .containsOnlyOnce("network-policy: a running cluster is closed to strangers")
                .containsOnlyOnce("network-policy: behind closed doors a cluster is backed up, sleeps and wakes");
        assertThat(steps("")).noneMatch(step -> step.startsWith("TLS:") || step.startsWith("users:"));
    }

    @Test
    void steps_caseThatIsNotThere_isRefused() {
        assertThatThrownBy(() -> steps(" --only peer-found")).hasMessageContaining("peer-found");
    }

    @Test
    void steps_alerts_runWhenTheyAreNamedAndInClustersOfTheirOwn() {
        assertThat(steps(" --all true")).noneMatch(step -> step.startsWith("alerts:"));
        assertThat(steps(" --only alerts"))
                .filteredOn(step -> !step.startsWith("alerts:"))
                .hasSize(2)
                .allMatch(step -> step.startsWith("helm "));
        assertThat(steps(" --all true --only alerts,scale-in"))
                .filteredOn(step -> step.startsWith("alerts:") || step.startsWith("kubectl delete"))
                .hasSizeGreaterThan(10)
                .first()
                .asString()
                .startsWith("kubectl delete");
    }
}
