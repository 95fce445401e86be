package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** Readers and writers of JSON and YAML; both are thread-safe. */
final class Formats {

    static final ObjectMapper JSON = new ObjectMapper();
    static final ObjectMapper YAML = new YAMLMapper();

    private Formats() {}
}
