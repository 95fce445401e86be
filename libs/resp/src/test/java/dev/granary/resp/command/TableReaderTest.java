package dev.granary.resp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableReaderTest {

    @Test
    void read_everyFact_isInTheCommand() {
        Command command = TableReader.read("""
                        # a comment

                        command box
                         arity -2
                         flags fast write
                         keys 1 -1 2
                         categories write fast
                         tip nondeterministic_output
                         tip request_policy:all_shards
                         key-spec
                          notes in words
                          flags RW access
                          begin keyword KEYS -1
                          find keynum 0 1 2
                         key-spec
                          begin unknown
                          find unknown
                         summary Opens a box
                         since 1.0.0
                         group generic
                         complexity O(1)
                         doc-flags deprecated
                         deprecated-since 2.0.0
                         replaced-by another
                         history 1.1.0 It got a lid.
                         argument lid
                          type oneof
                          key-spec-index 0
                          token LID
                          since 1.1.0
                          deprecated-since 2.0.0
                          flags optional multiple
                          argument open
                           type pure-token
                         command shut
                          arity 2
                          group generic
                        """).getFirst();
        assertThat(command.toString())
                .isEqualTo("Command[name=box, arity=-2, flags=[WRITE, FAST], keys=KeyRange[first=1, last=-1, step=2],"
                        + " categories=[write, fast], tips=[nondeterministic_output, request_policy:all_shards],"
                        + " keySpecs=[KeySpec[notes=in words, flags=[RW, access], begin=Keyword[word=KEYS,"
                        + " startFrom=-1], find=KeyNumber[numberAt=0, first=1, step=2]], KeySpec[notes=null, flags=[],"
                        + " begin=Unknown[], find=Unknown[]]], subcommands=[Command[name=box|shut, arity=2, flags=[],"
                        + " keys=KeyRange[first=0, last=0, step=0], categories=[], tips=[], keySpecs=[],"
                        + " subcommands=[], docs=CommandDocs[summary=null, since=null, group=generic, complexity=null,"
                        + " flags=[], deprecatedSince=null, replacedBy=null, history=[], arguments=[]]]],"
                        + " docs=CommandDocs[summary=Opens a box, since=1.0.0, group=generic, complexity=O(1),"
                        + " flags=[deprecated], deprecatedSince=2.0.0, replacedBy=another,"
                        + " history=[Change[since=1.1.0, text=It got a lid.]], arguments=[Argument[name=lid,"
                        + " type=oneof, keySpec=0, token=LID, since=1.1.0, deprecatedSince=2.0.0,"
                        + " flags=[optional, multiple], parts=[Argument[name=open, type=pure-token, keySpec=-1,"
                        + " token=null, since=null, deprecatedSince=null, flags=[], parts=[]]]]]]]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "command x\n group g",
                "command x\n arity 1",
                "command x\n   arity 1",
                "command x\n arity one\n group g",
                "command x\n arity 1\n group g\n flags no-such",
                "command x\n arity 1\n group g\n key-spec\n  begin somewhere\n  find unknown"
            })
    void read_whatMakesNoSense_isRefused(String text) {
        assertThatThrownBy(() -> TableReader.read(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
