package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Removes secrets from what a report holds. References to Secrets stay: their names are no secret, and tell whether the
 * right one is used.
 */
final class Redaction {

    static final String REMOVED = "<removed>";

    /** Names whose values are secrets. */
    private static final Pattern SECRET_NAME = Pattern.compile(
            "(?i).*(password|passwd|passphrase|token|secret[-_]?(access[-_]?)?key|access[-_]?key|private[-_]?key"
                    + "|api[-_]?key|authorization|credential).*");

    /** Names that look like these and hold the name of a Secret, or a switch. */
    private static final List<String> REFERENCES =
            List.of("automountServiceAccountToken", "serviceAccountToken", "secretName");

    /** Such a name with a value behind it, in a line of text. */
    private static final Pattern IN_TEXT = Pattern.compile(
            "(?i)([\\w.-]*(?:password|passwd|passphrase|token|secret[-_]?(?:access[-_]?)?key|access[-_]?key(?:[-_]?id)?"
                    + "|private[-_]?key|api[-_]?key|authorization|credentials?)[\"']?\\s*[:=]\\s*)"
                    + "(?:(?:bearer|basic)\\s+)?(\"[^\"]*\"|'[^']*'|\\S+)");

    /** User and password in an address. */
    private static final Pattern IN_ADDRESS = Pattern.compile("(\\w+://)[^/\\s:@]+:[^/\\s@]+@");

    private static final Pattern PRIVATE_KEY =
            Pattern.compile("(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----");

    private Redaction() {}

    /** Removes secrets from an object or a list in place, and what only adds bulk or repeats the object. */
    static JsonNode clean(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove("managedFields");
            object.remove("kubectl.kubernetes.io/last-applied-configuration");
            boolean secretVariable =
                    object.has("value") && isSecret(object.path("name").asText());
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                JsonNode value = field.getValue();
                boolean secret = isSecret(field.getKey())
                        || (secretVariable && field.getKey().equals("value"));
                if (value.isValueNode() && secret) {
                    object.put(field.getKey(), REMOVED);
                } else if (value.isTextual()) {
                    object.put(field.getKey(), clean(value.asText()));
                }
            }
        }
        node.forEach(Redaction::clean);
        return node;
    }

    private static boolean isSecret(String name) {
        return !REFERENCES.contains(name) && SECRET_NAME.matcher(name).matches();
    }

    /** Removes secrets from text. */
    static String clean(String text) {
        String cleaner = PRIVATE_KEY.matcher(text).replaceAll(REMOVED);
        cleaner = IN_ADDRESS.matcher(cleaner).replaceAll("$1" + REMOVED + "@");
        return IN_TEXT.matcher(cleaner).replaceAll("$1" + REMOVED);
    }
}
