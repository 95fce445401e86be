package dev.granary.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.api.Test;

class LeanSerializationTest {
    private final LeanSerialization lean = new LeanSerialization();

    @Test
    void unmarshal_managedFields_leftOutAndTheRestThere() {
        ConfigMap map = lean.unmarshal("""
                {"apiVersion": "v1", "kind": "ConfigMap",
                 "metadata": {"name": "social", "namespace": "shop", "resourceVersion": "7", "labels": {"a": "b"},
                  "managedFields": [{"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:data": {"f:key": {}}}}],
                  "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "owner", "uid": "u"}]},
                 "data": {"key": "value"}}
                """, ConfigMap.class);
        assertThat(map.getMetadata().getManagedFields()).isEmpty();
        assertThat(map.getMetadata().getAdditionalProperties()).isEmpty();
        assertThat(map.getMetadata().getResourceVersion()).isEqualTo("7");
        assertThat(map.getMetadata().getLabels()).containsEntry("a", "b");
        assertThat(map.getMetadata().getOwnerReferences()).hasSize(1);
        assertThat(map.getData()).containsEntry("key", "value");
        assertThat(lean.asJson(map)).doesNotContain("managedFields");
    }
}
