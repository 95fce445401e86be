package dev.granary.storage.door.command;

import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** A request that a door answers itself. The number of arguments is what the command takes. */
public record LocalCall(DoorState door, Client client, Request request, ReplyWriter reply) {

    static final String SYNTAX = "ERR syntax error";
    static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

    int count() {
        return request.count();
    }

    boolean is(int argument, String word) {
        return request.is(argument, word);
    }

    String text(int argument) {
        return request.text(argument);
    }

    void ok() {
        reply.simple("OK");
    }

    void syntaxError() {
        reply.error(SYNTAX);
    }

    /** Answers with an argument as it is. */
    void echo(int argument) {
        reply.bulk(request.buffer(), request.start(argument), request.length(argument));
    }

    /** Answers text for people. */
    void verbatim(String text) {
        reply.verbatim("txt", text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Answers {@code HELP} of a container: a line for a subcommand, and indented lines about it. */
    void help(String lines) {
        List<String> about = lines.lines().toList();
        reply.array(about.size() + 3);
        reply.simple(text(0).toUpperCase(Locale.ROOT) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
        about.forEach(reply::simple);
        reply.simple("HELP");
        reply.simple("    Prints this help.");
    }
}
