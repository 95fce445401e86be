package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How {@link RelationResolver} turns the relations of a few packages into edges. */
class RelationResolverTest {

    private final List<PackageRecord> packages = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();

    private void add(String name, String version, String depends, String conflicts, String provides) {
        ids.put(name, packages.size());
        packages.add(
                new PackageRecord(name, version, "misc", "optional", 1, "", depends, "", "", conflicts, "", provides));
    }

    private RelationResolver.Resolved resolve(EdgeKind kind) {
        return new RelationResolver(packages, ids).resolve(kind);
    }

    /** The edges of a package, as names of their targets and their flags. */
    private List<String> edges(EdgeKind kind, String name) {
        AdjacencyLists lists = resolve(kind).lists();
        int vertex = Objects.requireNonNull(ids.get(name));
        List<String> found = new ArrayList<>();
        for (int at = lists.begin(vertex); at < lists.end(vertex); at++) {
            found.add(packages.get(lists.target(at)).name() + " " + lists.flags(at));
        }
        return found;
    }

    @Test
    void resolve_nameOfAPackageThatIsAlsoProvided_isAnEdgeToBoth() {
        add("app", "1", "mta", "", "");
        add("mta", "1", "", "", "");
        add("postfix", "1", "", "", "mta");
        assertThat(edges(EdgeKind.DEPENDS, "app")).containsExactly("mta 0", "postfix " + EdgeFlags.PROVIDED);
    }

    /** Debian Policy Manual, section 7.5. */
    @Test
    void resolve_termWithAVersion_isMetByProvisionsOfAFittingVersionAlone() {
        add("app", "1", "api (>= 2)", "", "");
        add("bare", "9", "", "", "api");
        add("old", "9", "", "", "api (= 1)");
        add("fit", "9", "", "", "api (= 2)");
        assertThat(edges(EdgeKind.DEPENDS, "app")).containsExactly("fit " + EdgeFlags.PROVIDED);
    }

    @Test
    void resolve_packageOfAnotherVersion_isAnEdgeThatIsNotInForce() {
        add("app", "1", "lib (>= 2)", "", "");
        add("lib", "1.9", "", "", "");
        assertThat(edges(EdgeKind.DEPENDS, "app")).containsExactly("lib " + EdgeFlags.OTHER_VERSION);
        assertThat(resolve(EdgeKind.DEPENDS).resolution()).isEqualTo(new Resolution(1, 1, 1, 0, 0, 0));
    }

    /** The usual way to say that only one provider may be installed. */
    @Test
    void resolve_conflictWithWhatThePackageItselfProvides_isNoEdgeToItself() {
        add("postfix", "1", "", "mta", "mta");
        add("exim", "1", "", "mta", "mta");
        assertThat(edges(EdgeKind.CONFLICTS, "postfix")).containsExactly("exim " + EdgeFlags.PROVIDED);
        packages.removeLast();
        assertThat(edges(EdgeKind.CONFLICTS, "postfix")).isEmpty();
        assertThat(resolve(EdgeKind.CONFLICTS).resolution()).isEqualTo(new Resolution(1, 0, 0, 0, 0, 1));
    }

    @Test
    void resolve_samePackageAlternativelyAndForSure_isForSure() {
        add("app", "1", "a | b, b", "", "");
        add("a", "1", "", "", "");
        add("b", "1", "", "", "");
        assertThat(edges(EdgeKind.DEPENDS, "app")).containsExactly("a " + EdgeFlags.ALTERNATIVE, "b 0");
    }

    @Test
    void resolve_absentNames_areCountedByTermAndByName() {
        add("app", "1", "gone, gone | lost, app", "", "");
        RelationResolver.Resolved resolved = resolve(EdgeKind.DEPENDS);
        assertThat(resolved.resolution()).isEqualTo(new Resolution(4, 0, 0, 3, 2, 1));
        assertThat(resolved.lists().edges()).isZero();
    }

    @Test
    void resolve_onePackageProvidesANameTwice_isOneEdge() {
        add("app", "1", "api", "", "");
        add("lib", "1", "", "", "api (= 1), api (= 2)");
        assertThat(edges(EdgeKind.DEPENDS, "app")).containsExactly("lib " + EdgeFlags.PROVIDED);
    }

    @Test
    void resolve_noPackages_hasNothing() {
        assertThat(resolve(EdgeKind.DEPENDS).resolution()).isEqualTo(new Resolution(0, 0, 0, 0, 0, 0));
    }
}
