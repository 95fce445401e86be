package dev.granary.storage.door.state;

import dev.granary.resp.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** The clients that see all requests of a door, of which there are few. Thread-safe. */
public final class Monitors {

    /** Each costs as much as all other clients together. */
    private static final int MOST = 8;

    private final List<Client> clients = new CopyOnWriteArrayList<>();

    /** Adds a client; false when there are too many. */
    public boolean add(Client client) {
        if (clients.size() >= MOST) {
            return false;
        }
        if (!clients.contains(client)) {
            clients.add(client);
        }
        return true;
    }

    public void remove(Client client) {
        clients.remove(client);
    }

    public boolean isEmpty() {
        return clients.isEmpty();
    }

    /** Shows a request to all of them. */
    public void show(Client sender, Request request, long wallMillis) {
        byte[] line = line(sender, request, wallMillis).getBytes(StandardCharsets.ISO_8859_1);
        for (Client monitor : clients) {
            ByteBuf message = Unpooled.wrappedBuffer(line);
            monitor.link().push(message);
        }
    }

    private static String line(Client sender, Request request, long wallMillis) {
        StringBuilder line = new StringBuilder("+");
        line.append(String.format(Locale.ROOT, "%d.%06d", wallMillis / 1000, wallMillis % 1000 * 1000));
        line.append(" [0 ").append(sender.address()).append(']');
        for (int i = 0; i < request.count(); i++) {
            line.append(" \"");
            String argument = request.text(i);
            for (int at = 0; at < argument.length(); at++) {
                quote(argument.charAt(at), line);
            }
            line.append('"');
        }
        return line.append("\r\n").toString();
    }

    private static void quote(char letter, StringBuilder line) {
        switch (letter) {
            case '\\', '"' -> line.append('\\').append(letter);
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            case '\u0007' -> line.append("\\a");
            case '\b' -> line.append("\\b");
            default -> {
                if (letter >= ' ' && letter <= '~') {
                    line.append(letter);
                } else {
                    line.append(String.format(Locale.ROOT, "\\x%02x", (int) letter));
                }
            }
        }
    }
}
