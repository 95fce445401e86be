package dev.granary.bench.network;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A process with one client. It loads its objects, prints {@code {}}, and then measures what each line of its input
 * asks for, a {@link LoopRequest} as JSON, with one line of output each, {@link LoopFigures} as JSON. It ends with its
 * input.
 */
public final class NetworkWorker {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private NetworkWorker() {}

    /**
     * Measures with a client of Granary.
     *
     * @param arguments the kind of the client, the address of a super-peer, the number of objects, their size in bytes
     */
    public static void main(String[] arguments) throws Exception {
        run(GranaryStoreClient.open(arguments[0], arguments[1]), arguments, System.in, System.out);
    }

    /** Measures with a client and closes it. Of the arguments it reads the third and the fourth. */
    public static void run(StoreClient opened, String[] arguments, InputStream input, PrintStream out)
            throws Exception {
        try (StoreClient client = opened) {
            int objects = Integer.parseInt(arguments[2]);
            byte[] value = new byte[Integer.parseInt(arguments[3])];
            client.load(objects, value);
            out.println("{}");
            ClosedLoop loop = new ClosedLoop(client, objects, value);
            BufferedReader requests = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                out.println(toJson(loop.run(MAPPER.readValue(line, LoopRequest.class))));
            }
        }
    }

    private static String toJson(LoopFigures figures) throws IOException {
        return MAPPER.writeValueAsString(figures);
    }
}
