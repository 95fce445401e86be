package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The plugin {@code kubectl granary}, called by a real kubectl that finds it on its PATH. */
final class PluginSteps {

    /** The exit codes of a doctor that has found nothing, or something. */
    private static final List<Integer> DIAGNOSES = List.of(0, 1);

    private final Target target;
    private final Program kubectl;

    PluginSteps(Target target) {
        this.target = target;
        Path bin = target.options().project().resolve("cli/target/dist/bin");
        this.kubectl = new Program(
                Path.of("/usr/bin/env"),
                List.of(
                        "PATH=" + bin + File.pathSeparator + System.getenv("PATH"),
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        target.options().kubectl().toString(),
                        "granary",
                        "-n",
                        Target.NAMESPACE));
    }

    Step shows() {
        return Step.of("kubectl granary shows and examines the cluster", () -> {
            return shows("social") + report();
        });
    }

    /** What people look at first. */
    String shows(String cluster) throws Exception {
        String status = kubectl.run("status", cluster);
        Check.contains(status, "Ready", "True");
        String top = kubectl.run("top", cluster);
        Check.contains(top, cluster + "-storage-0", cluster + "-storage-1", cluster + "-storage-2");
        String ranges = kubectl.run("ranges", cluster);
        Check.contains(ranges, cluster + "-super-peer-0");
        Program.Result doctor = kubectl.call(null, "doctor", cluster);
        // One super-peer is few, and the doctor says so.
        Check.that(DIAGNOSES.contains(doctor.exitCode()), "%d: %s", doctor.exitCode(), doctor.output());
        return status + top + ranges + doctor.output();
    }

    private String report() throws Exception {
        Path folder = Files.createDirectories(target.options().reportFolder().resolve("plugin"));
        Path zip = folder.resolve("social.zip");
        Files.deleteIfExists(zip);
        String said = kubectl.run("report", "social", "--file", zip.toString());
        Check.that(Files.size(zip) > 0, "the report is empty: %s", said);
        return said;
    }

    /** Has the operator give a Granary another secret. */
    String changeSecret(String cluster) throws Exception {
        return kubectl.run("change-secret", cluster);
    }

    /** Has the operator replace all pods of a Granary. */
    String restart(String cluster, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("restart", cluster));
        arguments.addAll(List.of(more));
        return kubectl.run(arguments.toArray(String[]::new));
    }
}
