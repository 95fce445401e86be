package dev.granary.cli.log;

import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.Sizes;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.Damage;
import dev.granary.log.backup.ReplayReport;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.log.batch.EntryVisitor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads all zones as a recovery would and prints what cannot be read. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Read every zone as a recovery would, check every byte, and say what is damaged.",
            "Ends with exit code 1 if something is.",
        })
public final class LogVerifyCommand implements Callable<Integer> {

    private static final String LINE = "%-8s  %5s  %7s  %-17s  %12s  %11s  %10s  %10s  %s%n";

    private static final EntryVisitor NOBODY = new EntryVisitor() {
        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            // It only matters that the entry can be read.
        }
    };

    @Mixin
    private LogDirectory directory = new LogDirectory();

    @Mixin
    private OutputOption output = new OutputOption();

    @Option(names = "--json", description = "One JSON object a line and zone.")
    private boolean json;

    @Override
    public Integer call() {
        BackupLog log = directory.open();
        boolean damaged = false;
        List<ZoneSummary> zones = log.zones();
        boolean text = !json && output.isText();
        List<Map<String, Object>> told = new ArrayList<>();
        if (text) {
            System.out.printf(
                    LINE, "zone", "owner", "epoch", "members", "sequence", "chunks", "bytes", "on disk", "state");
        }
        for (ZoneSummary zone : zones) {
            ReplayReport report = log.replay(zone.zone(), Long.MAX_VALUE, NOBODY);
            damaged |= !report.damage().isEmpty();
            if (json) {
                System.out.println(Json.compact(fields(zone, report)));
            } else if (text) {
                show(zone, report);
            } else {
                told.add(fields(zone, report));
            }
        }
        if (!json && !text) {
            output.print(told, System.out);
        }
        if (text) {
            System.out.printf("%d zones; %s%n", zones.size(), damaged ? "some are damaged" : "everything can be read");
            if (damaged) {
                System.out.println(
                        "What is listed as damaged is lost in this directory only. Start the peer: recoveries"
                                + " take another backup where there is one, and the owner fills this copy again. Keep"
                                + " a copy of the directory if all backups of a zone are damaged.");
            }
        }
        return damaged ? 1 : 0;
    }

    private static void show(ZoneSummary zone, ReplayReport report) {
        String state = report.damage().isEmpty() ? zone.filled() ? "whole" : "being filled" : "damaged";
        System.out.printf(
                LINE,
                Zones.hex(zone.zone()),
                Zones.nid(zone.owner()),
                zone.fence(),
                Zones.nids(zone.members()),
                zone.lastSequence(),
                Sizes.count(report.chunks()),
                Zones.bytes(report.chunkBytes()),
                Zones.bytes(zone.usedBytes()),
                state);
        for (Damage damage : report.damage()) {
            System.out.println("  " + damage);
        }
    }

    private static Map<String, Object> fields(ZoneSummary zone, ReplayReport report) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("cluster", zone.clusterId().toString());
        fields.put("zone", Zones.hex(zone.zone()));
        fields.put("owner", Zones.nid(zone.owner()));
        fields.put("epoch", zone.epoch());
        fields.put("sealedEpoch", zone.sealedEpoch());
        fields.put("members", zone.members().stream().map(Zones::nid).toList());
        fields.put("lastSequence", zone.lastSequence());
        fields.put("filled", zone.filled());
        fields.put("chunks", report.chunks());
        fields.put("chunkBytes", report.chunkBytes());
        fields.put("usedBytes", zone.usedBytes());
        fields.put(
                "damage", report.damage().stream().map(LogVerifyCommand::fields).toList());
        return fields;
    }

    private static Map<String, Object> fields(Damage damage) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("file", damage.file());
        fields.put("offset", damage.offset());
        fields.put("firstSequence", damage.firstSequence());
        fields.put("lastSequence", damage.lastSequence());
        fields.put("what", damage.what());
        return fields;
    }
}
