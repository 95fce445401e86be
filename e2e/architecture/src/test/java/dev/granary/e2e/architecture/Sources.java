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

/** The files of the repository, without what is built and what Git keeps. */
final class Sources {

    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules");

    private Sources() {}

    /** The files that are Java sources, main and test, sorted. */
    static List<Path> java() {
        return files(file -> file.toString().endsWith(".java"));
    }

    /** Scripts of a shell: those that say so in their first line, and those that others read in. */
    static List<Path> scripts() {
        return files(file -> file.toString().endsWith(".sh") || startsWithShell(file));
    }

    /** The documents in Markdown, sorted. */
    static List<Path> documents() {
        return files(file -> file.toString().endsWith(".md"));
    }

    /** A file's name from the repository's root on, with slashes. */
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
