import java.io.DataInputStream;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of jars that are older than Java 6 the format of Java 8, in place: AOT caches hold no older ones,
 * because the old verifier checks them (ADR 0375). Only the version changes, and each method gets a stack map. A jar
 * keeps its time, so that it is not copied again, and one without such classes stays as it is.
 */
final class RenewedClasses {

    private static final int FIRST_WITH_STACK_MAPS = 50;

    private RenewedClasses() {}

    /**
     * Renews jars.
     *
     * @param args a folder, and how the names of jars in it begin
     */
    public static void main(String[] args) throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(args[0]), args[1] + "*.jar")) {
            for (Path jar : jars) {
                if (isOld(jar)) {
                    renew(jar);
                }
            }
        }
    }

    private static boolean isOld(Path jar) throws IOException {
        try (JarFile classes = new JarFile(jar.toFile())) {
            for (JarEntry entry : Collections.list(classes.entries())) {
                if (entry.getName().endsWith(".class")) {
                    try (DataInputStream bytes = new DataInputStream(classes.getInputStream(entry))) {
                        bytes.readInt(); // the magic number
                        bytes.readUnsignedShort(); // the minor version
                        if (bytes.readUnsignedShort() < FIRST_WITH_STACK_MAPS) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    private static void renew(Path jar) throws IOException {
        FileTime time = Files.getLastModifiedTime(jar);
        Path next = Path.of(jar + ".next");
        try (JarFile old = new JarFile(jar.toFile());
                URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(next))) {
            ClassFile format = ClassFile.of(
                    StackMapsOption.GENERATE_STACK_MAPS,
                    ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(classes)));
            for (JarEntry entry : Collections.list(old.entries())) {
                byte[] bytes = old.getInputStream(entry).readAllBytes();
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setLastModifiedTime(entry.getLastModifiedTime());
                out.putNextEntry(copy);
                out.write(entry.getName().endsWith(".class") ? renewed(format, bytes) : bytes);
                out.closeEntry();
            }
        }
        Files.setLastModifiedTime(next, time);
        Files.move(next, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private static byte[] renewed(ClassFile format, byte[] bytes) {
        ClassModel model = format.parse(bytes);
        if (model.majorVersion() >= FIRST_WITH_STACK_MAPS) {
            return bytes;
        }
        ClassFileVersion newer = ClassFileVersion.of(ClassFile.JAVA_8_VERSION, 0);
        ClassTransform version =
                (made, element) -> made.with(element instanceof ClassFileVersion ? newer : element);
        return format.transformClass(
                model, version.andThen(ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)));
    }
}
