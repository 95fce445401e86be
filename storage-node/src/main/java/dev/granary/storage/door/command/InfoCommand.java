package dev.granary.storage.door.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** {@code INFO}: what the door tells of itself, in sections. */
final class InfoCommand {

    /** In the order in which they are shown; the first ones are shown when none is asked for. */
    private static final List<Section> SECTIONS = List.of(
            new Section("server", true, InfoSections::server),
            new Section("clients", true, InfoSections::clients),
            new Section("memory", true, InfoSections::memory),
            new Section("persistence", true, InfoSections::persistence),
            new Section("stats", true, InfoSections::statistics),
            new Section("replication", true, InfoSections::replication),
            new Section("cpu", true, InfoSections::processor),
            new Section("commandstats", false, InfoSections::commands),
            new Section("latencystats", false, InfoSections::latencies),
            new Section("errorstats", true, InfoSections::errors),
            new Section("cluster", true, InfoSections::cluster),
            new Section("keyspace", true, InfoSections::keyspace));

    /** A section: its name, whether it is shown when none is asked for, and its lines. */
    private record Section(String name, boolean usual, Function<LocalCall, String> lines) {

        String title() {
            return "# " + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1) + "\r\n";
        }
    }

    private InfoCommand() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("info", InfoCommand::answer);
    }

    private static void answer(LocalCall call) {
        List<String> wanted = new ArrayList<>();
        for (int i = 1; i < call.count(); i++) {
            wanted.add(call.text(i).toLowerCase(Locale.ROOT));
        }
        boolean all = wanted.contains("all") || wanted.contains("everything");
        boolean usual = wanted.isEmpty() || wanted.contains("default");
        StringBuilder text = new StringBuilder();
        for (Section section : SECTIONS) {
            if (all || (usual && section.usual) || wanted.contains(section.name)) {
                text.append(text.isEmpty() ? "" : "\r\n");
                text.append(section.title()).append(section.lines.apply(call));
            }
        }
        call.verbatim(text.toString());
    }
}
