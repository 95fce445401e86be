package dev.granary.bench.redis;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection to a store. It sends batches of requests, and the next one when all replies are there. */
final class Connection {

    private static final int LEAST_BUFFER_BYTES = 1 << 16;

    private final SocketChannel channel;
    private final SelectionKey selection;
    private final Wire wire;
    private final byte[] key;
    private final KeyNames names;
    private final Values values;
    private final Reply reply = new Reply();
    private ByteBuffer out = ByteBuffer.allocateDirect(LEAST_BUFFER_BYTES);
    private ByteBuffer in = ByteBuffer.allocateDirect(LEAST_BUFFER_BYTES);
    private long[] operations = new long[1];
    private int sent;
    private int answered;
    private long sentNanos;

    Connection(InetSocketAddress address, Selector selector, Wire wire, KeyNames names, Values values)
            throws IOException {
        this.wire = wire;
        this.names = names;
        this.values = values;
        key = names.template();
        channel = SocketChannel.open(address);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        selection = channel.register(selector, SelectionKey.OP_READ, this);
    }

    /** Makes room for batches of so many requests. Nothing may be on its way. */
    void prepare(int pipeline) {
        operations = new long[pipeline];
        // Whatever a key and a value have twice is far less than the bytes of a frame.
        int needed = pipeline * (Wire.FRAME_BYTES + key.length + values.most());
        if (needed > out.capacity()) {
            out = ByteBuffer.allocateDirect(needed);
            in = ByteBuffer.allocateDirect(needed);
        }
        in.clear();
    }

    /** Sends the next batch. Returns false when there is nothing to ask for. */
    boolean send(Requests requests) throws IOException {
        out.clear();
        answered = 0;
        for (sent = 0; sent < operations.length; sent++) {
            long operation = requests.next();
            if (operation == Requests.NONE) {
                break;
            }
            operations[sent] = operation;
            names.write(Operation.key(operation), key);
            wire.write(operation, key, values, out);
        }
        out.flip();
        sentNanos = System.nanoTime();
        if (sent > 0) {
            write();
        }
        return sent > 0;
    }

    /** Writes what is left of the batch. */
    void write() throws IOException {
        channel.write(out);
        selection.interestOps(out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }

    /** Reads replies. Returns whether the last one of the batch has come. */
    boolean read(Requests requests, boolean verify, Tally tally) throws IOException {
        if (channel.read(in) < 0) {
            throw new EOFException("the store has closed a connection");
        }
        long nanos = System.nanoTime() - sentNanos;
        int before = answered;
        in.flip();
        while (answered < sent && in.hasRemaining() && wire.read(in, reply)) {
            long operation = operations[answered++];
            tally.add(reply, nanos);
            if (verify && reply.outcome == Reply.Outcome.HIT) {
                verify(Operation.key(operation));
            }
            requests.answered(operation, reply.outcome);
        }
        in.compact();
        return answered == sent && answered > before;
    }

    private void verify(long number) {
        if (!values.isOf(number, in, reply.valueAt, reply.valueLength)) {
            names.write(number, key);
            throw new WrongAnswerException(
                    "the store answered a get of " + Wire.text(ByteBuffer.wrap(key), 0, key.length) + " by "
                            + reply.valueLength + " bytes that were never set there");
        }
    }

    /** What a run counts. */
    interface Tally {
        void add(Reply reply, long nanos);
    }

    void close() throws IOException {
        channel.close();
    }
}
