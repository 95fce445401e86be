package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects what helps to find the cause of a failure: objects, descriptions, events, logs. */
final class Diagnosis {

    private final Target target;
    private final Path parent;
    private Path folder;

    Diagnosis(Target target) {
        this.target = target;
        this.parent = target.options().reportFolder().resolve("diagnosis");
        this.folder = parent;
    }

    /**
     * Writes everything into a folder of the step's own, in {@code diagnosis} of the report. Leaves out what cannot be
     * read.
     */
    void collect(String step) throws IOException, InterruptedException {
        folder = parent.resolve(step.replaceAll("[^A-Za-z0-9]+", "-"));
        Files.createDirectories(folder);
        write("nodes.txt", "describe", "nodes");
        write("granaries.yaml", "get", "granaries", "-A", "-o", "yaml");
        for (String namespace : List.of(Target.OPERATOR_NAMESPACE, Target.NAMESPACE, Target.RDMA_NAMESPACE)) {
            write(namespace + "-objects.txt", "get", "all,pvc,configmaps,pdb", "-n", namespace, "-o", "wide");
            write(namespace + "-pods.txt", "describe", "pods", "-n", namespace);
            write(namespace + "-events.txt", "get", "events", "-n", namespace, "--sort-by=.lastTimestamp");
            target.client().pods().inNamespace(namespace).list().getItems().forEach(pod -> {
                String name = pod.getMetadata().getName();
                logs(namespace, name, name + ".log");
                logs(namespace, name, name + "-before-restart.log", "--previous");
            });
        }
        System.out.println("what the cluster looked like is in " + folder);
    }

    /** Does the same for a case in which clients saw errors or waited for long, and adds the output of the load. */
    void collect(String name, String load) throws IOException, InterruptedException {
        collect(name);
        Files.writeString(folder.resolve("load.log"), load);
    }

    private void logs(String namespace, String pod, String file, String... more) {
        List<String> arguments = new ArrayList<>(List.of("logs", pod, "-n", namespace, "--all-containers"));
        arguments.addAll(List.of(more));
        try {
            write(file, arguments.toArray(String[]::new));
        } catch (IOException e) {
            System.err.println("no log of " + pod + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(String file, String... arguments) throws IOException, InterruptedException {
        Program.Result result = target.kubectl().call(null, arguments);
        if (result.exitCode() == 0) {
            Files.writeString(folder.resolve(file), result.output());
        }
    }
}
