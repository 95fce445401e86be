package dev.granary.cli.command;

import dev.granary.cli.keys.KeyOrCid;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The arguments of a command for chunks and keys. */
final class KeysAndCids {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            arity = "1..*",
            paramLabel = "CID|KEY",
            description = "Chunk identifier such as 0x8000000000000001, or a key.")
    private List<String> names = List.of();

    @Option(names = "--key", description = "All arguments are keys, even those that begin with 0x.")
    private boolean alwaysKeys;

    /**
     * Returns what the arguments name, in their order.
     *
     * @throws ParameterException when one is neither a key nor a well-formed CID
     */
    List<KeyOrCid> all() {
        try {
            return names.stream().map(name -> KeyOrCid.of(name, alwaysKeys)).toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage() + ". If it is a key, say --key.", e);
        }
    }
}
