package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadTest {

    @ParameterizedTest
    @CsvSource({"ycsb-a,1000,0.5", "facebook-b,32,0.95", "facebook-d,768,0.95", "FACEBOOK-F,64,1"})
    void parse_workloadsOfThePaper_asDefinedThere(String name, int sizeBytes, double getShare) {
        Workload workload = Workload.parse(name);
        assertThat(workload.sizes().isFixed()).isTrue();
        assertThat(workload.sizes().maxBytes()).isEqualTo(sizeBytes);
        assertThat(workload.getShare()).isEqualTo(getShare);
        assertThat(workload.special()).isNull();
    }

    @Test
    void parse_carriedDistribution_mostlyGets() {
        Workload workload = Workload.parse("kvcache_reg");
        assertThat(workload.getShare()).isEqualTo(0.95);
        assertThat(workload.sizes().meanBytes()).isBetween(340.0, 360.0);
    }

    @Test
    void parse_unknown_allNamesInTheMessage() {
        assertThatThrownBy(() -> Workload.parse("facebook-x"))
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("no file facebook-x")
                .hasMessageContaining("facebook-b")
                .hasMessageContaining("kvcache_reg");
    }
}
