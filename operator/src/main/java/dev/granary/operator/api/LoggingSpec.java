package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The logs of super-peers and storage peers. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LoggingSpec(
        @JsonPropertyDescription("How log lines are written: json, one object a line, or text for people.")
        @Default("\"json\"")
        @Nullable
        String format,

        @JsonPropertyDescription("From which level on the processes log: error, warn, info, debug or trace.")
        @Default("\"info\"")
        @Nullable
        String level) {
    /** The formats, the default first. */
    public static final List<String> FORMATS = List.of("json", "text");

    /** The levels, the quietest first. */
    public static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace");

    /** Default of {@code level}. */
    public static final String LEVEL = "info";

    /** The empty spec. */
    public static final LoggingSpec NONE = new LoggingSpec(null, null);
}
