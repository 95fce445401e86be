package dev.granary.resp.command;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How keys are found among the arguments of a command: where to begin, and which of the arguments from there are keys.
 *
 * @param notes for people
 * @param flags what is done with the keys, in the order in which Redis tells it: RO, access, ...
 */
public record KeySpec(@Nullable String notes, List<String> flags, Begin begin, Find find) {

    /** Where the search begins. */
    public sealed interface Begin {}

    /** At an argument; 0 is the command's name. */
    public record Index(int position) implements Begin {}

    /** Behind a word, looked for from an argument on; from the end, backwards, if that is negative. */
    public record Keyword(String word, int startFrom) implements Begin {}

    /** Which arguments are keys. */
    public sealed interface Find {}

    /**
     * A run of arguments.
     *
     * @param last the last one: counted from the first, or from the end if it is negative
     * @param step each how many arguments a key comes
     * @param limit if -1 is the last, the part of the arguments that are keys: 2 for half of them; 0 for all
     */
    public record Range(int last, int step, int limit) implements Find {}

    /** As many as an argument says; all positions are counted from the one where the search began. */
    public record KeyNumber(int numberAt, int first, int step) implements Find {}

    /** No rule tells it. */
    public record Unknown() implements Begin, Find {}

    public KeySpec {
        flags = List.copyOf(flags);
    }

    /** Returns whether these are no keys, but hashed to slots like keys. */
    public boolean isNoKey() {
        return flags.contains("not_key");
    }
}
