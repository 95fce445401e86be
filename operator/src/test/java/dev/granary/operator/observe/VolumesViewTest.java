package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.observe.VolumesView.State;
import dev.granary.operator.observe.VolumesView.Volume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VolumesViewTest {
    private static PersistentVolumeClaim claim(String name, String asked, String status) {
        return Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: %s, uid: uid-%s}
                spec: {resources: {requests: {storage: %s}}}
                status: %s
                """.formatted(name, name, asked, status), PersistentVolumeClaim.class);
    }

    @Test
    void of_claimsInEveryState_tellsHowFarEachIs() {
        String pending = "conditions: [{type: FileSystemResizePending, status: \"True\"}]";
        String failed = "conditions: [{type: ControllerResizeError, status: \"True\", message: quota}]";
        VolumesView view = VolumesView.of(
                List.of(
                        claim("e", "10Gi", "{phase: Bound, capacity: {storage: 10Gi}}"),
                        claim("a", "20Gi", "{phase: Bound, capacity: {storage: 20Gi}}"),
                        claim("b", "10Gi", "{phase: Bound, capacity: {storage: 10Gi}}"),
                        claim("c", "20Gi", "{phase: Bound, capacity: {storage: 10Gi}, " + failed + "}"),
                        claim("d", "21474836480", "{phase: Bound, capacity: {storage: 10Gi}, " + pending + "}"),
                        claim("f", "10Gi", "{phase: Pending}")),
                "20Gi",
                Map.of("uid-e", "the class forbids it", "uid-a", "an old refusal"));
        assertThat(view.volumes())
                .containsExactly(
                        new Volume("a", "uid-a", "20Gi", State.GROWN, ""),
                        new Volume("b", "uid-b", "20Gi", State.TO_GROW, ""),
                        new Volume("c", "uid-c", "20Gi", State.GROWING, "quota"),
                        new Volume("d", "uid-d", "20Gi", State.FILE_SYSTEM, ""),
                        new Volume("e", "uid-e", "20Gi", State.REFUSED, "the class forbids it"));
    }

    @Test
    void of_driverGaveMoreThanAsked_isGrown() {
        VolumesView view = VolumesView.of(
                List.of(claim("a", "20Gi", "{phase: Bound, capacity: {storage: 24Gi}}")), "20Gi", Map.of());
        assertThat(view.in(State.GROWN)).hasSize(1);
    }
}
