package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RelationTest {

    @Test
    void parseField_clausesAlternativesQualifiersAndConstraints_areAllRead() {
        assertThat(Relation.parseField("python3:any, default-mta | mail-transport-agent,libc6(>=2.34)|libc6 ( << 3 )"))
                .containsExactly(
                        List.of(new Relation("python3", "", "")),
                        List.of(new Relation("default-mta", "", ""), new Relation("mail-transport-agent", "", "")),
                        List.of(new Relation("libc6", ">=", "2.34"), new Relation("libc6", "<<", "3")));
    }

    @Test
    void parseField_empty_hasNoClause() {
        assertThat(Relation.parseField("")).isEmpty();
        assertThat(Relation.parseField(" , ")).isEmpty();
    }

    @Test
    void parseField_oldOperators_meanOrEqual() {
        assertThat(Relation.parseField("a (< 1), b (> 2)"))
                .containsExactly(List.of(new Relation("a", "<=", "1")), List.of(new Relation("b", ">=", "2")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a (1)", "a (>= )", "a (>= 1", "a (=> 1)", "a (>= 1) b", "(>= 1)", ":any"})
    void parseField_outsideTheGrammar_saysWhichTerm(String field) {
        assertThatThrownBy(() -> Relation.parseField(field))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining(field);
    }

    @ParameterizedTest
    @CsvSource({
        "<<,true,false,false",
        "<=,true,true,false",
        "=,false,true,false",
        ">=,false,true,true",
        ">>,false,false,true"
    })
    void admits_eachOperator_comparesInItsWay(String operator, boolean lower, boolean equal, boolean higher) {
        Relation relation = new Relation("a", operator, "1:2.0-3");
        assertThat(relation.admits("1:2.0~rc1-9")).isEqualTo(lower);
        assertThat(relation.admits("1:2.0-03")).isEqualTo(equal);
        assertThat(relation.admits("2:0")).isEqualTo(higher);
        assertThat(new Relation("a", "", "").admits("0")).isTrue();
    }
}
