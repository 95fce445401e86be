package dev.granary.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AotCachesTest {

    private static final String NAME = "storage-1";
    private static final String ROLE = "storage-node";

    @TempDir
    private Path dist = Path.of("");

    private Path program = Path.of("");
    private Path server = Path.of("");

    @BeforeEach
    void makeDistribution() throws IOException {
        Path lib = Files.createDirectory(dist.resolve("lib"));
        program = Files.writeString(lib.resolve("program.jar"), "program");
        Files.writeString(lib.resolve("library.jar"), "library");
        Files.writeString(lib.resolve("granary-super-peer-1-classpath.jar"), "super-peer");
        server = Files.writeString(lib.resolve("granary-storage-node-1-classpath.jar"), "storage-node");
        AotCaches caches = caches();
        caches.open();
        Files.writeString(caches.file(ROLE), "cache");
        caches.seal();
    }

    private AotCaches caches() {
        return AotCaches.of(program.toString(), Map.of());
    }

    private List<String> commandLine() {
        return new NodeCommand(Path.of("/jre/bin/java"), program.toString(), List.of("-Xlog:gc"))
                .line(ROLE, "Main", caches().of(NAME, ROLE), Path.of("node.properties"));
    }

    @Test
    void line_cacheThatFits_isUsedAndQuiet() {
        assertThat(commandLine())
                .endsWith(
                        "/jre/bin/java",
                        "-XX:+UseSerialGC",
                        "-Xmx192m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:AOTCache=" + dist.resolve("aot").resolve("storage-node.aot"),
                        "-Xlog:aot*=off",
                        "-Xlog:gc",
                        "-cp",
                        server.toString(),
                        "Main",
                        "--config",
                        "node.properties");
    }

    @Test
    void line_noCacheOfThisRole_isWithoutOne() {
        assertThat(caches().of("super-peer-0", LocalCluster.SUPER_PEER)).isEmpty();
    }

    @Test
    void line_jarOfAnotherSize_isWithoutCache() throws IOException {
        FileTime time = Files.getLastModifiedTime(program);
        Files.writeString(program, "another program");
        Files.setLastModifiedTime(program, time);
        assertThat(commandLine()).noneMatch(word -> word.contains("aot"));
    }

    @Test
    void line_jarOfAnotherTime_isWithoutCache() throws IOException {
        Files.setLastModifiedTime(program, FileTime.fromMillis(0));
        assertThat(commandLine()).noneMatch(word -> word.contains("aot"));
    }

    @Test
    void line_oneJarMore_isWithoutCache() throws IOException {
        Files.writeString(program.resolveSibling("other.jar"), "other");
        assertThat(commandLine()).noneMatch(word -> word.contains("aot"));
    }

    @Test
    void line_cachesAreBeingMade_isWithoutCache() throws IOException {
        caches().open();
        assertThat(commandLine()).noneMatch(word -> word.contains("aot"));
    }

    @Test
    void options_variableWithWhatCachesCannotStandBeside_none() {
        assertThat(AotCaches.of(program.toString(), Map.of("JAVA_TOOL_OPTIONS", "-ea -Xshare:off"))
                        .of(NAME, ROLE))
                .isEmpty();
        assertThat(AotCaches.of(program.toString(), Map.of("JAVA_TOOL_OPTIONS", "-ea"))
                        .of(NAME, ROLE))
                .isNotEmpty();
    }

    @Test
    void open_classesInFolders_saysThatThereAreNoCaches() {
        AotCaches caches = AotCaches.of("target/classes:" + program, Map.of());
        assertThat(caches.of(NAME, ROLE)).isEmpty();
        assertThatThrownBy(caches::open).isInstanceOf(UserException.class).hasMessageContaining("distribution");
    }

    @Test
    void classPathOf_programWithTools_isThatOfTheRoleAlone() {
        NodeCommand command = new NodeCommand(Path.of("java"), program + ":/tools/granary-tools.jar", List.of());
        assertThat(command.classPathOf(ROLE)).isEqualTo(server.toString());
        assertThat(command.classPathOf(LocalCluster.SUPER_PEER)).endsWith("granary-super-peer-1-classpath.jar");
    }

    @Test
    void classPathOf_jarWithoutThoseOfServersBesideIt_isThatOfThisProgram() throws IOException {
        Files.delete(server);
        assertThat(new NodeCommand(Path.of("java"), program.toString(), List.of()).classPathOf(ROLE))
                .isEqualTo(program.toString());
        assertThat(caches().canBe()).isFalse();
    }

    @Test
    void classPathOf_twoJarsOfARole_isRefused() throws IOException {
        Files.writeString(server.resolveSibling("granary-storage-node-2-classpath.jar"), "other");
        assertThatThrownBy(() -> commandLine())
                .isInstanceOf(UserException.class)
                .hasMessageContaining("not one jar");
    }

    @Test
    void line_superPeer_hasTheFirstCompilerOnlyUnlessToldOtherwise() {
        assertThat(new NodeCommand(Path.of("java"), "classes", List.of())
                        .line(LocalCluster.SUPER_PEER, "Main", List.of("-XX:TieredStopAtLevel=4"), Path.of("f")))
                .containsSubsequence("-XX:TieredStopAtLevel=1", "-XX:TieredStopAtLevel=4");
    }
}
