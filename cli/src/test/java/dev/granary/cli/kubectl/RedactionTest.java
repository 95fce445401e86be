package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {

    @Test
    void clean_object_losesValuesOfSecretsAndKeepsReferences() {
        JsonNode cleaned = Redaction.clean(Json.parse("an object", """
                {"metadata": {"managedFields": [{}], "annotations": {
                   "kubectl.kubernetes.io/last-applied-configuration": "SESAME", "note": "https://me:SESAME@host/x"}},
                 "spec": {"env": [
                   {"name": "S3_SECRET_ACCESS_KEY", "value": "SESAME"},
                   {"name": "GRANARY_MEMORY", "value": "2Gi"},
                   {"name": "AWS_SECRET_ACCESS_KEY", "valueFrom": {"secretKeyRef": {"name": "s3", "key": "k"}}}],
                   "password": "SESAME", "credentialsSecretRef": {"name": "s3"}, "automountServiceAccountToken": false,
                   "projected": {"serviceAccountToken": {"path": "token"}}}}
                """));
        assertThat(cleaned.toString()).doesNotContain("SESAME").doesNotContain("managedFields");
        assertThat(cleaned.at("/spec/env/1/value").asText()).isEqualTo("2Gi");
        assertThat(cleaned.at("/spec/env/2/valueFrom/secretKeyRef/name").asText())
                .isEqualTo("s3");
        assertThat(cleaned.at("/spec/credentialsSecretRef/name").asText()).isEqualTo("s3");
        assertThat(cleaned.at("/spec/automountServiceAccountToken").isBoolean()).isTrue();
        assertThat(cleaned.at("/spec/projected/serviceAccountToken/path").asText())
                .isEqualTo("token");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password=SESAME rest",
                "AWS_SECRET_ACCESS_KEY: SESAME rest",
                "{\"token\": \"SESAME\"} rest",
                "Authorization: Bearer SESAME rest",
                "s3://user:SESAME@store/bucket rest",
                "-----BEGIN PRIVATE KEY-----\nSESAME\n-----END PRIVATE KEY-----\nrest",
            })
    void clean_text_losesSecretsAndKeepsTheRest(String text) {
        assertThat(Redaction.clean(text)).doesNotContain("SESAME").contains("<removed>", "rest");
    }

    @Test
    void clean_textWithoutSecrets_isAsItWas() {
        String text = "a lease of 0x8000 ended; lock token 7 of chunk 0x8000000000000001 is refused\nhttp://a:7400/x\n";
        assertThat(Redaction.clean(text)).isEqualTo(text);
    }
}
