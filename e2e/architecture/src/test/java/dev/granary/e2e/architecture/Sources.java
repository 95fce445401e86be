package dev.granary.e2e.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The files of the repository, without build results and Git's own files. */
final class Sources {

    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules");

    private Sources() {}

    /** Returns the Java sources, main and test, sorted. */
    static List<Path> java() {
        return files(file -> file.toString().endsWith(".java"));
    }

    /** Returns the shell scripts: files whose first line says so, and files that such scripts read in. */
    static List<Path> scripts() {
        return files(file -> file.toString().endsWith(".sh") || startsWithShell(file));
    }

    /** Returns the Markdown documents, sorted. */
    static List<Path> documents() {
        return files(file -> file.toString().endsWith(".md"));
    }

    /** Returns a file's path from the root of the repository, with slashes. */
    static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean startsWithShell(Path file) {
        if (file.getFileName().toString().contains(".")) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(32), StandardCharsets.ISO_8859_1);
            return head.startsWith("#!") && head.contains("sh");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> files(Predicate<Path> wanted) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(folder.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && wanted.test(file)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(null);
        return found;
    }
}
