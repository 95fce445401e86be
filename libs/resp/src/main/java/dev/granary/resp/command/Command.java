package dev.granary.resp.command;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A command, or a subcommand of one.
 *
 * @param name in small letters; that of a subcommand has its container before it: {@code client|list}
 * @param arity the number of arguments with the name; the least number, negated, if there may be more. The container's
 *     name counts as well
 * @param keys where its keys are, for clients that know no key specifications
 * @param categories those of access control, in the order in which Redis tells them
 * @param tips for clients that spread a request over several nodes
 * @param subcommands by name; none if it has none
 */
public record Command(
        String name,
        int arity,
        Set<CommandFlag> flags,
        KeyRange keys,
        List<String> categories,
        List<String> tips,
        List<KeySpec> keySpecs,
        List<Command> subcommands,
        CommandDocs docs) {

    /** The first key, the last one (counted from the end if negative), and the step between them; zeros for none. */
    public record KeyRange(int first, int last, int step) {

        static final KeyRange NONE = new KeyRange(0, 0, 0);
    }

    public Command {
        EnumSet<CommandFlag> copy = EnumSet.noneOf(CommandFlag.class);
        copy.addAll(flags);
        flags = Collections.unmodifiableSet(copy);
        categories = List.copyOf(categories);
        tips = List.copyOf(tips);
        keySpecs = List.copyOf(keySpecs);
        subcommands = List.copyOf(subcommands);
    }

    /** Returns whether it takes so many arguments, its name included. */
    public boolean takes(int arguments) {
        return arity < 0 ? arguments >= -arity : arguments == arity;
    }

    /** Returns whether some of its arguments are keys. */
    public boolean hasKeys() {
        // A stream for each request would be garbage.
        for (int i = 0; i < keySpecs.size(); i++) {
            if (!keySpecs.get(i).isNoKey()) {
                return true;
            }
        }
        return false;
    }

    /** Returns its name without its container's. */
    String ownName() {
        return name.substring(name.indexOf('|') + 1);
    }

    Command withSubcommands(List<Command> others) {
        return new Command(name, arity, flags, keys, categories, tips, keySpecs, others, docs);
    }
}
