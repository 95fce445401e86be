package dev.granary.tools.bench.hostile;

import dev.granary.cli.base.CommandLogging;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The process of a hostile client. Arguments: its name, and the ports of a storage peer, a super-peer and a door. Says
 * when it has begun, and ends when its standard input does.
 */
final class AttackMain {

    /** What it says when it has begun. */
    static final String BEGUN = "begun";

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private AttackMain() {}

    /** Attacks. */
    public static void main(String[] arguments) throws IOException {
        CommandLogging.configure();
        Target target = new Target(
                socket(HostAddress.parse(arguments[1])),
                socket(HostAddress.parse(arguments[2])),
                socket(HostAddress.parse(arguments[3])),
                List.of());
        try (GranaryClient client =
                        GranaryClient.connect(ClientOptions.of(arguments[2]).withDeadline(DEADLINE));
                Attack attack = Attacks.of(arguments[0], target, client)) {
            attack.begin();
            System.out.println(BEGUN);
            // Nothing is ever written there.
            int _ = System.in.read();
        }
    }

    private static InetSocketAddress socket(HostAddress address) {
        return new InetSocketAddress(address.host(), address.port());
    }
}
