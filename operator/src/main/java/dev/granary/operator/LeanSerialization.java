package dev.granary.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Reads objects without their managed fields. Who owns which field is the API server's business; the operator asks
 * nothing of it, and in what it keeps of watched objects it would be the larger half.
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
