package dev.granary.bench.overlay;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Asks a {@link LookupServer}, one lookup at a time. */
final class LookupClient implements Closeable {

    /** First CID, last CID, owner, epoch. */
    static final int REPLY_BYTES = 3 * Long.BYTES + Integer.BYTES;

    private final Socket socket;
    private final DataInputStream in;
    private final byte[] request = new byte[Long.BYTES];
    private final byte[] reply = new byte[REPLY_BYTES];
    private long lookups;

    LookupClient(Socket socket) throws IOException {
        this.socket = socket;
        in = new DataInputStream(socket.getInputStream());
    }

    /** The number of lookups so far. */
    long lookups() {
        return lookups;
    }

    /** The whole range that contains a CID; takes one round trip. */
    CidRange lookup(long cid) throws IOException {
        lookups++;
        ByteBuffer.wrap(request).putLong(cid);
        socket.getOutputStream().write(request);
        in.readFully(reply);
        ByteBuffer answer = ByteBuffer.wrap(reply);
        long start = answer.getLong();
        long end = answer.getLong();
        int owner = answer.getInt();
        return new CidRange(start, end, Placement.unreplicated(owner, answer.getLong()));
    }

    static void write(CidRange range, byte[] reply) {
        ByteBuffer.wrap(reply)
                .putLong(range.startCid())
                .putLong(range.endCidInclusive())
                .putInt(range.placement().owner())
                .putLong(range.placement().epoch());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
