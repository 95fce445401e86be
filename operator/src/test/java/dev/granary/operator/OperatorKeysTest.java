package dev.granary.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OperatorKeysTest {
    @Test
    void load_imageOnly_restHasDefaults() {
        Config config = load(Map.of("GRANARY_IMAGE", "example.org/granary:1"));
        assertThat(config.get(OperatorKeys.PULL_POLICY).kubernetesName).isEqualTo("IfNotPresent");
        assertThat(config.get(OperatorKeys.LEADER_ELECTION)).isTrue();
        assertThat(config.get(OperatorKeys.LEASE_NAME)).isEqualTo("granary-operator");
        assertThat(config.find(OperatorKeys.NAMESPACES)).isEmpty();
    }

    @Test
    void load_namespaces_splitAtCommas() {
        Config config = load(Map.of("GRANARY_IMAGE", "i:1", "GRANARY_OPERATOR_NAMESPACES", "shop, search"));
        assertThat(config.get(OperatorKeys.NAMESPACES)).containsExactly("search", "shop");
    }

    @Test
    void load_emptyNamespaces_allNamespaces() {
        // The bundle makes this variable from the Lifecycle Manager's annotation, where empty means all namespaces.
        Config config = load(Map.of("GRANARY_IMAGE", "i:1", "GRANARY_OPERATOR_NAMESPACES", ""));
        assertThat(config.find(OperatorKeys.NAMESPACES)).isEmpty();
    }

    @Test
    void load_noImage_refusedByName() {
        assertThatThrownBy(() -> load(Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("image");
    }

    @Test
    void load_wrongNamespace_refusedWithWhatIsAllowed() {
        assertThatThrownBy(() -> load(Map.of("GRANARY_IMAGE", "i:1", "GRANARY_OPERATOR_NAMESPACES", "Shop")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("'Shop'")
                .hasMessageContaining("such as shop,search");
    }

    private static Config load(Map<String, String> environment) {
        return Config.load(OperatorKeys.schema(), null, environment);
    }
}
