package dev.granary.e2e.kubernetes.program;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** Readers and writers of JSON and YAML; both are thread-safe. */
public final class Formats {

    public static final ObjectMapper JSON = new ObjectMapper();
    public static final ObjectMapper YAML = new YAMLMapper();

    private Formats() {}
}
