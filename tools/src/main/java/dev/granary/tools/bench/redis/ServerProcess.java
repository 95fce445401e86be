package dev.granary.tools.bench.redis;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ExitHook;
import dev.granary.tools.bench.process.ProcessEnd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server of another project as a process on this machine. It ends when this is closed, and with this process. */
final class ServerProcess implements AutoCloseable {

    private static final int START_LOOKS = 400;
    private static final long LOOK_MILLIS = 50;
    private static final long END_SECONDS = 30;

    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Process process;
    private final InetSocketAddress address;
    private final ExitHook hook;

    private ServerProcess(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
        this.hook = ExitHook.begin("end-of-" + process.pid(), () -> end(process));
    }

    /**
     * Starts a server and waits until it takes connections. It gets a session of its own, as nodes of local clusters
     * do: Linux may divide processors among sessions first (autogroup, sched(7)), and a server that shared one with its
     * clients would be treated better than one that does not.
     *
     * @param log gets all that it prints
     * @throws UserException when it does not start; the message has what it printed
     */
    static ServerProcess start(List<String> command, int port, Path log) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(inOwnSession(command))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        ServerProcess server;
        try {
            server = new ServerProcess(process, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (UserException e) {
            end(process);
            throw e;
        }
        try {
            for (int looks = 0; !server.answers(); looks++) {
                if (looks == START_LOOKS || !process.isAlive()) {
                    throw new UserException(command.getFirst() + " does not start: "
                            + Files.readString(log).strip());
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
            return server;
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static List<String> inOwnSession(List<String> command) {
        if (!Files.isExecutable(SETSID)) {
            return command;
        }
        List<String> all = new ArrayList<>(List.of(SETSID.toString()));
        all.addAll(command);
        return all;
    }

    /** A port that nobody uses now. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() {
        try (TextClient _ = new TextClient(address)) {
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    long pid() {
        return process.pid();
    }

    InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        end(process);
        hook.close();
    }

    private static void end(Process process) {
        process.destroy();
        ProcessEnd.await(process, END_SECONDS);
    }
}
