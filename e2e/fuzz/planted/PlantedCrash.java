/** Fails on an input that nobody guesses, and that coverage leads to. */
public final class PlantedCrash {

    private PlantedCrash() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 2 && input[0] == 'G' && input[1] == 'R' && input[2] == 'N') {
            throw new IllegalStateException("planted");
        }
    }
}
