package dev.granary.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.graph.Answers.Conflict;
import dev.granary.cli.graph.Answers.Conflicts;
import dev.granary.cli.graph.Answers.Hop;
import dev.granary.cli.graph.Answers.Needs;
import dev.granary.cli.graph.Answers.Path;
import dev.granary.cli.graph.Answers.Ranked;
import dev.granary.cli.graph.Answers.Step;
import dev.granary.cli.graph.EdgeKind;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnswerTextTest {

    @Test
    void needs_severalHops_areLinesWithNumbersAndSamples() {
        Needs needs = new Needs(
                "c",
                List.of(new Hop(Collections.nCopies(1234, 1), List.of("a", "b")), new Hop(List.of(2), List.of("d"))));

        assertThat(AnswerText.of(needs, 5000))
                .containsExactly(
                        "1 hop    1,234 packages   a, b, …",
                        "2 hops       1 package    d",
                        "in all   1,235 of 5,000 packages");
    }

    @Test
    void needs_nobody_saysSo() {
        assertThat(AnswerText.of(new Needs("c", List.of()), 5000)).containsExactly("Nothing needs it.");
    }

    @Test
    void path_stepsAndRemarks_areOneLineEach() {
        Path path = new Path(
                "gnome",
                "sh",
                List.of(
                        new Step("gnome", EdgeKind.DEPENDS, "bash", (byte) 0),
                        new Step("bash", EdgeKind.PRE_DEPENDS, "sh", (byte) 3)));

        assertThat(AnswerText.of(path))
                .containsExactly(
                        "gnome  depends on bash", "bash   pre-depends on sh (one of several, as a provider of it)");
    }

    @Test
    void path_noneOrNoSteps_saysWhich() {
        assertThat(AnswerText.of(new Path("a", "b", List.of())))
                .containsExactly("a does not need b, not even through others.");
        assertThat(AnswerText.of(new Path("a", "a", List.of()))).containsExactly("They are the same package.");
    }

    @Test
    void ranked_inOrder_areNumbered() {
        assertThat(AnswerText.of(List.of(new Ranked("libc6", 21_815))))
                .containsExactly(" 1. libc6                     21,815 packages depend on it");
    }

    @Test
    void conflicts_eitherSideOrBoth_areToldApart() {
        List<Conflict> inForce = List.of(
                new Conflict("dma", EdgeKind.CONFLICTS, true),
                new Conflict("exim4", EdgeKind.CONFLICTS, false),
                new Conflict("exim4", EdgeKind.CONFLICTS, true),
                new Conflict("nullmailer", EdgeKind.BREAKS, false));

        assertThat(AnswerText.of(new Conflicts("postfix", inForce, 3)))
                .containsExactly(
                        "both say so: exim4",
                        "only postfix says so: dma",
                        "only the other says so: nullmailer",
                        "(3 more conflicts are with versions other than these)");
    }

    @Test
    void conflicts_manyAndNone_areCutAndSaid() {
        List<Conflict> many = IntStream.range(10, 18)
                .mapToObj(number -> new Conflict("p" + number, EdgeKind.CONFLICTS, true))
                .toList();

        assertThat(AnswerText.of(new Conflicts("a", many, 0)))
                .containsExactly("only a says so: p10, p11, p12, p13, p14, p15 and 2 more");
        assertThat(AnswerText.of(new Conflicts("a", List.of(), 0)))
                .containsExactly("With every package of the snapshot it can.");
    }
}
