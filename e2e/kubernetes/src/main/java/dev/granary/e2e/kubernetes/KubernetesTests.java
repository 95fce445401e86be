package dev.granary.e2e.kubernetes;

import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicBoolean;

/** The main program: runs the steps on the cluster that KUBECONFIG names, and reports. */
public final class KubernetesTests {

    private KubernetesTests() {}

    /**
     * Runs all steps; see {@link Options} for the arguments. Exits with 0 when all passed, 1 when some did not, 2 for
     * wrong usage.
     */
    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        Files.createDirectories(options.reportFolder());
        Report report = new Report();
        report.addPreparation(options.preparation());
        try (Target target = new Target(options)) {
            run(target, report);
        }
        report.print();
        report.write(options.reportFolder().resolve("report.json"));
        if (options.json() != null) {
            report.write(options.json());
        }
        System.exit(report.failed() == 0 ? 0 : 1);
    }

    private static void run(Target target, Report report) throws Exception {
        Options options = target.options();
        report.fact("cluster", options.cluster());
        report.fact("kubernetes", target.client().getKubernetesVersion().getGitVersion());
        report.fact("nodes", target.client().nodes().list().getItems().size());
        InstallationSteps installation = new InstallationSteps(target);
        installation.refuseUsedCluster();
        MonitoringSteps monitoring = new MonitoringSteps(target);
        CleanUp cleanUp = new CleanUp(monitoring, installation, options.keep());
        Runtime.getRuntime().addShutdownHook(new Thread(cleanUp::runOnce, "clean-up"));
        try {
            new StepRunner(report, new Diagnosis(target)::collect)
                    .run(new StepPlan(target, report, installation, monitoring).steps());
        } finally {
            cleanUp.runOnce();
        }
    }

    /** Ends the processes and removes what the steps made. Runs once: at the end, or when this process gets SIGTERM. */
    private static final class CleanUp {
        private final MonitoringSteps monitoring;
        private final InstallationSteps installation;
        private final boolean keep;
        private final AtomicBoolean done = new AtomicBoolean();

        CleanUp(MonitoringSteps monitoring, InstallationSteps installation, boolean keep) {
            this.monitoring = monitoring;
            this.installation = installation;
            this.keep = keep;
        }

        void runOnce() {
            if (!done.compareAndSet(false, true)) {
                return;
            }
            monitoring.close();
            if (keep) {
                return;
            }
            try {
                installation.removeAll();
            } catch (Exception | AssertionError e) {
                System.err.println("cleaning up failed: " + e);
            }
        }
    }
}
