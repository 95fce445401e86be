package dev.granary.bench.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoreWorkloadTest {

    @ParameterizedTest
    @EnumSource
    void mix_ofWorkloadsOfYcsb_addsUpToAHundred(StoreWorkload workload) {
        StoreWorkload.Mix mix = workload.mix();
        boolean byYcsb = workload.family() == StoreWorkload.Family.YCSB || workload.isMultiGet();
        assertThat(mix.read() + mix.update() + mix.insert() + mix.scan() + mix.readModifyWrite())
                .isEqualTo(byYcsb ? 100 : 0);
    }

    @ParameterizedTest
    @EnumSource
    void of_itsName_findsTheWorkload(StoreWorkload workload) {
        assertThat(StoreWorkload.of(workload.toString())).contains(workload);
        assertThat(StoreWorkload.names()).contains(workload.toString());
    }

    @Test
    void valueBytes_ofThePapersWorkloads_areThoseOfThePaper() {
        assertThat(StoreWorkload.YCSB_A.valueBytes()).isEqualTo(1_000);
        assertThat(StoreWorkload.FACEBOOK_B.valueBytes()).isEqualTo(32);
        assertThat(StoreWorkload.FACEBOOK_D.fields()).isEqualTo(24);
        assertThat(StoreWorkload.FACEBOOK_D.valueBytes()).isEqualTo(768);
        assertThat(StoreWorkload.FACEBOOK_F.mix().read()).isEqualTo(100);
    }

    @Test
    void data_ofTheSameShape_isShared() {
        assertThat(StoreWorkload.MULTI_GET_RANDOM.data()).isEqualTo(StoreWorkload.FACEBOOK_B.data());
        assertThat(StoreWorkload.FACEBOOK_F.data()).isNotEqualTo(StoreWorkload.FACEBOOK_B.data());
    }

    @Test
    void jsonLines_aRequest_comesBack() {
        CaseRequest request = new CaseRequest("ycsb-a", false, 10, 2, 1, 100, 0.5);
        assertThat(JsonLines.read(JsonLines.write(request), CaseRequest.class)).isEqualTo(request);
        assertThatThrownBy(() -> JsonLines.read("{\"workload\":", CaseRequest.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("CaseRequest");
    }
}
