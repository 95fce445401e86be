package dev.granary.bench.recovery;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The process that measures one case. Arguments: name of the case, directory, number of chunks. Prints one JSON object
 * per line.
 */
public final class RecoveryWorker {

    /** All cases, in the order of measurement. */
    public static final List<RecoveryCase> CASES =
            List.of(new LogAppendCase(), new LogReplayCase(), new LogCleanerCase(), new DumpCase());

    private RecoveryWorker() {}

    /** Measures one case. */
    public static void main(String[] arguments) throws IOException {
        ObjectMapper json = new ObjectMapper();
        for (RecoveryCase measured : CASES) {
            if (measured.name().equals(arguments[0])) {
                measured.run(Path.of(arguments[1]), Long.parseLong(arguments[2]), fields -> {
                    Map<String, Object> line = new LinkedHashMap<>();
                    line.put("case", measured.name());
                    line.putAll(fields);
                    try {
                        System.out.println(json.writeValueAsString(line));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                return;
            }
        }
        throw new IllegalArgumentException("there is no case '" + arguments[0] + "'");
    }
}
