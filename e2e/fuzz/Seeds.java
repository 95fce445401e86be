import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;

/** Writes the seeds of a target into a folder, a file for each: {@code java -cp PATH Seeds.java CLASS FOLDER}. */
final class Seeds {

    private Seeds() {}

    public static void main(String[] arguments) throws Exception {
        Object seeds = Class.forName(arguments[0]).getMethod("seeds").invoke(null);
        for (Object each : (List<?>) seeds) {
            byte[] seed = (byte[]) each;
            CRC32 name = new CRC32();
            name.update(seed);
            Files.write(Path.of(arguments[1], HexFormat.of().toHexDigits((int) name.getValue())), seed);
        }
    }
}
