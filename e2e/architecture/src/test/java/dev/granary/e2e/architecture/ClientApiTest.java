package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.admin.AsyncClusterAdmin;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What applications see of the client: its own types, the serialization of objects and the JDK, nothing else (ADR
 * 0220).
 */
class ClientApiTest {

    private static final String API = "dev.granary.client";

    private static final String ADMIN = "dev.granary.client.admin";

    private static final Set<String> ALLOWED = Set.of(API, "dev.granary.serialization");

    /** Everything that administers a cluster is in the other package. */
    private static final Set<String> ADMINISTRATION =
            Set.of("hibernate", "unpark", "park", "resizeRing", "recoverZone", "startDrain", "backups", "statusJson");

    private static List<JavaClass> visible(String packageName) {
        return Modules.classesOf("client").stream()
                .filter(type -> type.getPackageName().equals(packageName))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .toList();
    }

    private static boolean isVisible(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    /**
     * Returns each type that the public and protected signatures of a class name, with type arguments, and where it is.
     */
    private static Stream<String> foreignTypes(JavaClass type) {
        List<String> found = new ArrayList<>();
        type.getTypeParameters().forEach(parameter -> add(found, parameter, type.getName()));
        type.getSuperclass().ifPresent(parent -> add(found, parent, type.getName()));
        type.getInterfaces().forEach(parent -> add(found, parent, type.getName()));
        for (JavaMember member : type.getMembers()) {
            if (!isVisible(member)) {
                continue;
            }
            if (member instanceof JavaField field) {
                add(found, field.getType(), field.getFullName());
            } else if (member instanceof JavaCodeUnit unit) {
                add(found, unit.getReturnType(), unit.getFullName());
                unit.getParameterTypes().forEach(parameter -> add(found, parameter, unit.getFullName()));
                unit.getTypeParameters().forEach(parameter -> add(found, parameter, unit.getFullName()));
                unit.getExceptionTypes().forEach(thrown -> add(found, thrown, unit.getFullName()));
            }
        }
        return found.stream();
    }

    private static void add(List<String> found, JavaType type, String where) {
        for (JavaClass raw : type.getAllInvolvedRawTypes()) {
            String name = raw.getBaseComponentType().getPackageName();
            boolean ofTheJdk =
                    name.startsWith("java.") || raw.getBaseComponentType().isPrimitive();
            if (!ofTheJdk && !ALLOWED.contains(name)) {
                found.add(raw.getName() + " in " + where);
            }
        }
    }

    @Test
    void clientApi_itsSignatures_nameTheJdkAndItsOwnTypesOnly() {
        assertThat(visible(API)).hasSizeGreaterThan(15);
        assertThat(visible(API).stream().flatMap(ClientApiTest::foreignTypes)).isEmpty();
    }

    @Test
    void administration_itsMessages_areSeenByTheRule() {
        // The opposite of the rule above: the package that administers clusters names messages, and they are found.
        assertThat(visible(ADMIN).stream().flatMap(ClientApiTest::foreignTypes))
                .anyMatch(found -> found.startsWith("dev.granary.net.message."));
    }

    @Test
    void clientApi_whatAdministersAClusters_isInTheOtherPackage() {
        assertThat(methodNames(API)).doesNotContainAnyElementsOf(ADMINISTRATION);
        assertThat(methodNames(ADMIN)).contains("hibernate", "unpark", "resizeRing", "recoverZone", "startDrain");
    }

    private static Set<String> methodNames(String packageName) {
        return visible(packageName).stream()
                .flatMap(type -> type.getMethods().stream())
                .map(JavaMember::getName)
                .collect(Collectors.toSet());
    }

    @Test
    void module_whatItPassesOn_isTheSerializationAlone() throws Exception {
        ModuleDescriptor module = descriptor();
        assertThat(module.requires().stream()
                        .filter(each -> each.modifiers().contains(Modifier.TRANSITIVE))
                        .map(ModuleDescriptor.Requires::name))
                .containsExactly("dev.granary.serialization");
        assertThat(module.requires().stream().map(ModuleDescriptor.Requires::name))
                .doesNotContain("dev.granary.memory");
        assertThat(module.exports().stream().map(ModuleDescriptor.Exports::source))
                .containsExactlyInAnyOrder(API, ADMIN, "dev.granary.client.view");
    }

    private static ModuleDescriptor descriptor() throws Exception {
        Path place = Path.of(AsyncGranaryClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return ModuleFinder.of(place).find(API).orElseThrow().descriptor();
    }

    @Test
    void administration_ofAClientWithoutConnections_isRefused() {
        AsyncGranaryClient other = (AsyncGranaryClient) Proxy.newProxyInstance(
                AsyncGranaryClient.class.getClassLoader(),
                new Class<?>[] {AsyncGranaryClient.class},
                (_, _, _) -> null);
        assertThatThrownBy(() -> AsyncClusterAdmin.of(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GranaryClient.connect");
    }
}
