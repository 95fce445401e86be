package dev.granary.superpeer.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.superpeer.peer.Loads;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlansJsonTest {

    @Test
    void write_hotChunks_areListedWithTheirOwners() {
        assertThat(PlansJson.write(List.of(), List.of(), List.of(new Loads.Hot(0x8000_0000_0000_0001L, 7, 0x4000))))
                .isEqualTo("{\"plans\":[],\"proposals\":[],\"hotChunks\":"
                        + "[{\"cid\":\"0x8000000000000001\",\"perSecond\":7,\"owner\":\"0x4000\"}]}");
    }
}
