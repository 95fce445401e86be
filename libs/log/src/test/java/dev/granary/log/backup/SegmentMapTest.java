package dev.granary.log.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SegmentMapTest {

    private static final ZoneHeader ZONE = Logs.header(Logs.ZONE, 1);

    @Test
    void putAndRemove_atRandom_knowsWhatAMapKnows() {
        Random random = new Random(3);
        SegmentMap map = new SegmentMap();
        TreeMap<Integer, Segment> model = new TreeMap<>();
        for (int step = 0; step < 5_000; step++) {
            int ordinal = random.nextInt(100);
            Segment present = model.get(ordinal);
            if (present != null && random.nextInt(2) == 0) {
                map.remove(present);
                model.remove(ordinal);
            } else if (present == null && random.nextInt(2) == 0) {
                Segment segment = segment(ordinal);
                map.put(segment);
                model.put(ordinal, segment);
            }
            for (int asked = 0; asked < 100; asked++) {
                assertThat(map.get(asked)).isSameAs(model.get(asked));
            }
        }
    }

    private static Segment segment(int ordinal) {
        LogFileHeader header = new LogFileHeader(LogFileHeader.SEGMENT, ZONE, 1, ordinal, 0, 0);
        return new Segment("segment " + ordinal, header, LogFileHeader.LENGTH);
    }
}
