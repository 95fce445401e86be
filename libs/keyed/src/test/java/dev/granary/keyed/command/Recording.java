package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests with the replies that {@code record-replies} got from a real redis-server. */
final class Recording {

    private Recording() {}

    /** Requests that follow each other, on keys of their own. */
    record Section(String name, List<Exchange> exchanges) {

        /** Carries out the requests, and compares each reply. */
        void check() {
            CommandRig rig = new CommandRig(name.endsWith(" RESP3") ? Protocol.RESP3 : Protocol.RESP2);
            assertThat(exchanges).isNotEmpty();
            for (Exchange exchange : exchanges) {
                assertThat(rig.run(exchange.request)).as(exchange.request).isEqualTo(exchange.reply);
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    record Exchange(String request, String reply) {}

    /** Returns the sections of a file. */
    static List<Section> of(String file) {
        List<Section> sections = new ArrayList<>();
        String request = "";
        for (String line : lines(file)) {
            if (line.startsWith("== ")) {
                sections.add(new Section(line.substring(3), new ArrayList<>()));
            } else if (line.startsWith("> ")) {
                request = line.substring(2);
            } else {
                sections.getLast().exchanges.add(new Exchange(request, line));
            }
        }
        return sections;
    }

    private static List<String> lines(String file) {
        try (InputStream in = Recording.class.getResourceAsStream("/recorded/" + file)) {
            assertThat(in).as(file).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
