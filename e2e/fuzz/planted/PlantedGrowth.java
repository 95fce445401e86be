import java.util.ArrayList;
import java.util.List;

/** Keeps a little of each input that is not hard to find. */
public final class PlantedGrowth {

    private static final List<byte[]> KEPT = new ArrayList<>();

    private PlantedGrowth() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0 && input[0] == 'M') {
            KEPT.add(new byte[1 << 20]);
        }
    }
}
