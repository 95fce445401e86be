package dev.granary.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Golden;
import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Planner;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docs/guides/resource.md} shows the fields that the CRDs have, and the examples that lie beside it. */
class ResourceGuideTest {
    private static final Path GUIDES = Golden.repository().resolve("docs/guides");

    @Test
    void guide_outlines_areThoseOfTheSchemas() throws IOException {
        Path guide = GUIDES.resolve("resource.md");
        String text = Files.readString(guide);
        for (String plural :
                new String[] {"granaries", "granarybackups", "granarybackupschedules", "granaryrestores", "granaryusers"
                }) {
            text = replaced(text, "outline of " + plural, "text", Outline.of(plural));
        }
        for (String example : new String[] {"small", "production", "rdma", "redis"}) {
            text = replaced(text, "example " + example, "yaml", example(example));
        }
        Golden.check(guide, text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"small", "production", "rdma", "redis"})
    void examples_ofTheGuide_canBePlanned(String example) throws IOException {
        ClusterPlan plan = new Planner(Samples.DEFAULTS)
                .plan(Serialization.unmarshal(example(example), Granary.class), Existing.NOTHING);
        assertThat(plan.superPeers().wantedReplicas()).isEqualTo(3);
    }

    @Test
    void small_example_hasTenLines() throws IOException {
        assertThat(example("small").lines()).hasSize(10);
    }

    private static String example(String name) throws IOException {
        return Files.readString(GUIDES.resolve("resource/" + name + ".yaml"));
    }

    /** Replaces the block of code behind a comment with this name. */
    private static String replaced(String text, String name, String language, String block) {
        String begin = "<!-- " + name + " -->\n```" + language + "\n";
        int from = text.indexOf(begin);
        assertThat(from).as("the comment '%s' and its block", name).isNotNegative();
        int to = text.indexOf("```\n", from + begin.length());
        return text.substring(0, from + begin.length()) + block + text.substring(to);
    }
}
