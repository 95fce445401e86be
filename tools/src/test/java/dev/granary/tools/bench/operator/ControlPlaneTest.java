package dev.granary.tools.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@link ControlPlane} begins, with programs that are scripts, and what it leaves when that fails. */
class ControlPlaneTest {
    @TempDir
    private Path binaries = Path.of("");

    private void program(String name, String script) throws IOException {
        Path file = binaries.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void requirePrograms_oneIsMissing_saysWhatMakesIt() throws Exception {
        program("etcd", "exit 0");
        assertThatThrownBy(() -> ControlPlane.requirePrograms(binaries, false))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("kube-apiserver is missing")
                .hasMessageContaining("cluster/build cluster");
        program("kube-apiserver", "exit 0");
        assertThatCode(() -> ControlPlane.requirePrograms(binaries, false)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ControlPlane.requirePrograms(binaries, true))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("cluster/build kwok");
    }

    @Test
    void start_certificateOfTheServerIsUnusable_endsBothProgramsAndFails() throws Exception {
        Path folder = Files.createDirectories(binaries.resolve("files"));
        program("etcd", "echo $$ > " + folder + "/etcd.pid; exec sleep 300");
        program(
                "kube-apiserver",
                "echo $$ > " + folder + "/server.pid; echo \"$@\" > " + folder + "/arguments; mkdir -p " + folder
                        + "/pki; echo nonsense > " + folder + "/pki/apiserver.crt; exec sleep 300");
        assertThatThrownBy(() -> ControlPlane.start(binaries, folder)).isInstanceOf(CertificateException.class);

        for (String name : List.of("etcd.pid", "server.pid")) {
            long pid = Long.parseLong(Files.readString(folder.resolve(name)).strip());
            assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive))
                    .as(name)
                    .isEmpty();
        }
        assertThat(Files.readString(folder.resolve("arguments")))
                .as("nobody but this machine reaches it")
                .contains("--bind-address=127.0.0.1", "--audit-log-path=" + folder.resolve("audit.log"));
        assertThat(Files.readString(folder.resolve("audit-policy.yaml")))
                .as("requests of the benchmark are not counted")
                .contains("{level: Metadata, users: [operator]}", "{level: None}");
    }

    @Test
    void end_programThatIgnoresIt_isKilled() throws Exception {
        Path folder = Files.createDirectories(binaries.resolve("files"));
        program("stubborn", "trap '' TERM; while :; do sleep 0.1; done");
        Process process = ControlPlane.process(
                folder, "stubborn", List.of(binaries.resolve("stubborn").toString()));
        Thread.sleep(300);
        ControlPlane.end(process, 1);
        assertThat(process.isAlive()).isFalse();
    }
}
