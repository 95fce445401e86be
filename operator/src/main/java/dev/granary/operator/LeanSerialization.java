package dev.granary.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Reads objects without their managed fields, which say who owns which field. Only the API server uses them; they would
 * be more than half of the watched objects that the operator keeps.
 */
public final class LeanSerialization extends KubernetesSerialization {
    @Override
    protected void configureMapper(ObjectMapper mapper) {
        super.configureMapper(mapper);
        mapper.addMixIn(ObjectMeta.class, WithoutManagedFields.class);
    }

    @JsonIgnoreProperties("managedFields")
    private interface WithoutManagedFields {}
}
