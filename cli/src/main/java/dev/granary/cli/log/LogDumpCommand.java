package dev.granary.cli.log;

import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.ReplayReport;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.log.batch.EntryVisitor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Shows the newest entries of zones, which is what a recovery would get. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Show the newest entries of zones, as a recovery would get them: chunks, completed requests, lock tokens.",
            "Ends with exit code 1 if something of a zone that is shown is damaged.",
        })
public final class LogDumpCommand implements Callable<Integer> {

    private static final int SHOWN_BYTES = 32;

    /** Parses the id of a zone in hexadecimal digits. */
    static final class ZoneConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            try {
                return Integer.parseUnsignedInt(text, 16);
            } catch (NumberFormatException e) {
                throw new TypeConversionException(
                        "'" + text + "' is no zone: give it as 'granary log verify' prints it");
            }
        }
    }

    @Mixin
    private LogDirectory directory = new LogDirectory();

    @Option(
            names = "--zone",
            paramLabel = "Z",
            converter = ZoneConverter.class,
            description = "Only this zone, as 'granary log verify' prints it.")
    private @Nullable Integer only;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "So many entries of each zone. Default: ${DEFAULT-VALUE}")
    private long limit = 20;

    @Option(names = "--json", description = "One JSON object a line and entry.")
    private boolean json;

    @Override
    public Integer call() {
        if (limit < 0) {
            throw new UserException("--limit is " + limit + "; it must be at least 0");
        }
        BackupLog log = directory.open();
        Integer wanted = only;
        List<ZoneSummary> shown = log.zones().stream()
                .filter(zone -> wanted == null || wanted == zone.zone())
                .toList();
        if (wanted != null && shown.isEmpty()) {
            throw new UserException("there is no zone " + Zones.hex(wanted) + " in " + directory
                    + ": 'granary log verify' prints those that there are");
        }
        boolean damaged = false;
        for (ZoneSummary zone : shown) {
            damaged |= !dump(log, zone).damage().isEmpty();
        }
        return damaged ? 1 : 0;
    }

    private ReplayReport dump(BackupLog log, ZoneSummary zone) {
        if (!json) {
            System.out.printf(
                    "zone %s of cluster %s: owner %s, epoch %d, sealed %d, members %s, last sequence %d%n",
                    Zones.hex(zone.zone()),
                    zone.clusterId(),
                    Zones.nid(zone.owner()),
                    zone.epoch(),
                    zone.sealedEpoch(),
                    Zones.nids(zone.members()),
                    zone.lastSequence());
        }
        Printer printer = new Printer(zone.zone());
        ReplayReport report = log.replay(zone.zone(), Long.MAX_VALUE, printer);
        if (!json) {
            if (printer.entries > limit) {
                System.out.printf("  ... %d more%n", printer.entries - limit);
            }
            report.damage().forEach(damage -> System.out.println("  damaged: " + damage));
        }
        return report;
    }

    /** Prints entries up to the limit and counts all of them. */
    private final class Printer implements EntryVisitor {

        private final int zone;
        private long entries;

        Printer(int zone) {
            this.zone = zone;
        }

        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            if (entries++ < limit) {
                print("chunk", Zones.cid(cid), epoch, sequence, content(bytes, offset, length), length);
            }
        }

        @Override
        public void request(
                long clientId,
                long requestSequence,
                long ackedSequence,
                long epoch,
                long sequence,
                MemorySegment bytes,
                long offset,
                int length) {
            if (entries++ < limit) {
                String request = Long.toHexString(clientId) + "/" + requestSequence + " (seen: " + ackedSequence + ")";
                print("request", request, epoch, sequence, content(bytes, offset, length), length);
            }
        }

        @Override
        public void token(long cid, long token, long epoch, long sequence) {
            if (entries++ < limit) {
                print("token", Zones.cid(cid), epoch, sequence, Long.toString(token), 0);
            }
        }

        private static String content(MemorySegment bytes, long offset, int length) {
            int shown = Math.min(SHOWN_BYTES, length);
            String hex = HexFormat.of().formatHex(bytes.asSlice(offset, shown).toArray(ValueLayout.JAVA_BYTE));
            return shown < length ? hex + "..." : hex;
        }

        private void print(String kind, String what, long epoch, long sequence, String content, int length) {
            if (json) {
                Map<String, Object> fields = new LinkedHashMap<>();
                fields.put("zone", Zones.hex(zone));
                fields.put("kind", kind);
                fields.put("id", what);
                fields.put("epoch", epoch);
                fields.put("sequence", sequence);
                fields.put("length", length);
                fields.put("content", content);
                System.out.println(Json.compact(fields));
            } else {
                System.out.printf("  %-7s %s  (%d, %d)  %d B  %s%n", kind, what, epoch, sequence, length, content);
            }
        }
    }
}
