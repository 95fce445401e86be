package dev.granary.e2e.kubernetes.prometheus;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The PromQL queries of Grafana dashboards, with values in place of Grafana's variables. */
public final class DashboardQueries {

    private static final Pattern VARIABLE = Pattern.compile("\\$(?!\\d)");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+),\\s*(\\w+)\\s*\\)");

    /**
     * A query and its origin.
     *
     * @param place the dashboard and the panel
     * @param expression PromQL without variables
     */
    public record Query(String place, String expression) {}

    private final Map<String, String> variables;

    /** Takes the variables' values by name, without the dollar. */
    public DashboardQueries(Map<String, String> variables) {
        this.variables = variables;
    }

    /**
     * Returns all queries of all dashboards in the folder: those of panels, and those that list a variable's choices.
     */
    public List<Query> in(Path folder) throws IOException {
        List<Query> queries = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                JsonNode dashboard = Formats.JSON.readTree(file.toFile());
                String name = file.getFileName().toString();
                collectPanels(name, dashboard.path("panels"), queries);
                for (JsonNode variable : dashboard.at("/templating/list")) {
                    collectVariable(name, variable, queries);
                }
            }
        }
        return queries;
    }

    /** Returns how a panel of a dashboard's file is called. */
    static String place(String file, String title) {
        return file + ", " + title;
    }

    private void collectPanels(String file, JsonNode panels, List<Query> queries) {
        for (JsonNode panel : panels) {
            for (JsonNode target : panel.path("targets")) {
                if (target.hasNonNull("expr")) {
                    String place = place(file, panel.path("title").asText());
                    queries.add(new Query(place, fill(target.path("expr").asText())));
                }
            }
            collectPanels(file, panel.path("panels"), queries); // a row has panels of its own
        }
    }

    private void collectVariable(String file, JsonNode variable, List<Query> queries) {
        JsonNode query = variable.path("query");
        String text = query.isTextual() ? query.asText() : query.path("query").asText();
        Matcher matcher = LABEL_VALUES.matcher(text);
        if (matcher.matches()) {
            String present = "count by (%s) (%s)".formatted(matcher.group(2), fill(matcher.group(1)));
            queries.add(new Query(file + ", variable " + variable.path("name").asText(), present));
        }
    }

    private String fill(String expression) {
        String filled = expression;
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            // $name, ${name} and ${name:format}
            Pattern uses = Pattern.compile("\\$(\\{%1$s(:\\w+)?}|%1$s\\b)".formatted(variable.getKey()));
            filled = uses.matcher(filled).replaceAll(Matcher.quoteReplacement(variable.getValue()));
        }
        // $1 is what a regular expression of label_replace has found.
        Check.that(!VARIABLE.matcher(filled).find(), "a variable without a value in %s", filled);
        return filled;
    }
}
