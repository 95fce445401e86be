/** Never ends on an input that is not hard to find. */
public final class PlantedHang {

    private PlantedHang() {}

    public static void fuzzerTestOneInput(byte[] input) {
        while (input.length > 1 && input[0] == 'H') {
            Thread.onSpinWait();
        }
    }
}
