package dev.granary.tools.bench.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NetworkCaseTest {

    @ParameterizedTest
    @EnumSource(NetworkCase.class)
    void plan_defaultsOfACase_areAPlan(NetworkCase each) {
        assertThat(NetworkCase.of(each.toString())).contains(each);
        assertThat(NetworkCase.names()).contains(each.toString());
        NetworkPlan plan = new NetworkPlan(
                1, 1, each.threads(), each.batches(), 1, each.getPercent(), 100, 1, each.copies(), each.clients());
        plan.check();
        assertThat(plan.comparesStores()).isEqualTo(each == NetworkCase.CLIENTS);
        assertThat(plan.copies().equals(List.of(1))).isEqualTo(each != NetworkCase.REPLICATED_PUT);
    }
}
