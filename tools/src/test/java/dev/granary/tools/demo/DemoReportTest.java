package dev.granary.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class DemoReportTest {

    @Test
    void toJson_anyLocale_isOneLineOfNumbers() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            Measurement measurement = new Measurement(61.25, 180, 15_000.4, 800_000.6, 500_000, 1000, 3, 32);
            KeyPhase.Figures keys = new KeyPhase.Figures(60_000, 123_456.7, 234_567.8);
            assertThat(new DemoReport(212_159, 12_345_678, 10.5, measurement, keys, 2.5, 3, 1).toJson())
                    .isEqualTo("{\"chunks\":212159,\"payloadBytes\":12345678,\"overheadBytesPerChunk\":10.500,"
                            + "\"createOpsPerSecond\":500000,\"getOpsPerSecond\":800001,\"getP50Micros\":61.3,"
                            + "\"getP99Micros\":180.0,\"storagePeers\":3,\"superPeers\":1,"
                            + "\"singleGetOpsPerSecond\":15000,\"batchChunks\":1000,\"batchesAtOnce\":3,"
                            + "\"keys\":60000,\"keySetsPerSecond\":123457,\"redisGetsPerSecond\":234568,"
                            + "\"loadSeconds\":2.500}");
        } finally {
            Locale.setDefault(before);
        }
    }
}
