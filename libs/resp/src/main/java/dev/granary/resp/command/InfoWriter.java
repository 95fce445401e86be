package dev.granary.resp.command;

import dev.granary.resp.ReplyWriter;
import java.util.List;

/**
 * What {@code COMMAND INFO} tells of a command, to clients that spread keys over nodes.
 *
 * <pre>
 *   name, arity, flags, first key, last key, step, categories, tips, key specifications, subcommands
 * </pre>
 */
final class InfoWriter {

    private static final int FIELDS = 10;

    void write(Command command, ReplyWriter out) {
        out.array(FIELDS);
        out.bulk(command.name());
        out.integer(command.arity());
        simpleSet(command.flags().stream().map(CommandFlag::word).toList(), out);
        out.integer(command.keys().first());
        out.integer(command.keys().last());
        out.integer(command.keys().step());
        simpleSet(command.categories().stream().map("@"::concat).toList(), out);
        out.set(command.tips().size());
        command.tips().forEach(out::bulk);
        out.set(command.keySpecs().size());
        command.keySpecs().forEach(spec -> keySpec(spec, out));
        subcommands(command, out);
    }

    private void subcommands(Command command, ReplyWriter out) {
        if (command.subcommands().isEmpty()) {
            // Redis says "no subcommands" by an empty set, and some subcommands by an array.
            out.set(0);
            return;
        }
        out.array(command.subcommands().size());
        command.subcommands().forEach(subcommand -> write(subcommand, out));
    }

    static void simpleSet(List<String> words, ReplyWriter out) {
        out.set(words.size());
        words.forEach(out::simple);
    }

    private static void keySpec(KeySpec spec, ReplyWriter out) {
        String notes = spec.notes();
        out.map(notes == null ? 3 : 4);
        if (notes != null) {
            out.bulk("notes");
            out.bulk(notes);
        }
        out.bulk("flags");
        simpleSet(spec.flags(), out);
        out.bulk("begin_search");
        switch (spec.begin()) {
            case KeySpec.Index(int position) -> {
                rule("index", 1, out);
                fact("index", position, out);
            }
            case KeySpec.Keyword(String word, int startFrom) -> {
                rule("keyword", 2, out);
                out.bulk("keyword");
                out.bulk(word);
                fact("startfrom", startFrom, out);
            }
            case KeySpec.Unknown() -> rule("unknown", 0, out);
        }
        out.bulk("find_keys");
        switch (spec.find()) {
            case KeySpec.Range(int last, int step, int limit) -> {
                rule("range", 3, out);
                fact("lastkey", last, out);
                fact("keystep", step, out);
                fact("limit", limit, out);
            }
            case KeySpec.KeyNumber(int numberAt, int first, int step) -> {
                rule("keynum", 3, out);
                fact("keynumidx", numberAt, out);
                fact("firstkey", first, out);
                fact("keystep", step, out);
            }
            case KeySpec.Unknown() -> rule("unknown", 0, out);
        }
    }

    private static void rule(String type, int facts, ReplyWriter out) {
        out.map(2);
        out.bulk("type");
        out.bulk(type);
        out.bulk("spec");
        out.map(facts);
    }

    private static void fact(String name, int value, ReplyWriter out) {
        out.bulk(name);
        out.integer(value);
    }
}
