package dev.granary.storage.door.state;

import dev.granary.access.Account;
import dev.granary.access.Accounts;
import dev.granary.resp.Protocol;
import dev.granary.storage.door.notice.EndpointType;
import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.state.DoorCounters.Closing;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What a door knows of one connection. It belongs to the I/O thread of the connection. Others read it for
 * {@code CLIENT LIST}, where what they see may be a moment old; {@link #link} may be used by any thread.
 */
public final class Client {

    /** Which requests are answered. */
    public enum Replies {
        ON,
        /** The next request is not, then all are again. */
        SKIP_NEXT,
        OFF
    }

    /** What can be done with the connection. Any thread may do it; it happens on the connection's I/O thread. */
    public interface Link {

        /** Closes the connection as it is. */
        void close(Closing why);

        /** Closes the connection when the replies up to the one that is being written are sent. */
        void closeAfterReply();

        /** Closes the connection if it has asked nothing, or has not taken its replies, for too long. */
        void check(long nowNanos);

        /** Ends the transaction and forgets watched keys. */
        void resetTransaction();

        /** Sends a message that answers no request, and takes it over. */
        void push(ByteBuf message);

        /** Tells the client of planned maintenance between two replies, if it wants to know by then. */
        void notice(Notice notice);

        /** Returns how many requests a transaction has queued; -1 outside of one. */
        int queued();

        /** Returns how many bytes of requests are held. */
        int heldBytes();

        /** Returns how many bytes of replies the client has not taken. */
        long unsentBytes();
    }

    private final long id;
    private final String address;
    private final String localAddress;
    private final String host;
    private final long sinceNanos;
    private final Link link;
    private final Accounts accounts;
    private volatile Account account;
    private boolean authenticated;
    private Protocol protocol = Protocol.RESP2;
    private Replies replies = Replies.ON;
    private String name = "";
    private String libName = "";
    private String libVersion = "";
    private String lastCommand = "NULL";
    private long activeNanos;
    private boolean monitor;
    private boolean readOnly;
    private boolean asking;
    private boolean noEvict;
    private boolean noTouch;

    // Read by whoever tells of planned maintenance.
    private volatile boolean aware;
    private volatile @Nullable EndpointType notices;

    /** What {@link AwareClients} had learned when this client was looked up there. */
    private int awareVersion;

    /**
     * A connection that has just been opened.
     *
     * @param address {@code host:port} of the client
     * @param host the same without the port
     * @param localAddress {@code host:port} to which it has connected
     */
    public Client(
            long id, String address, String host, String localAddress, long nowNanos, Accounts accounts, Link link) {
        this.accounts = accounts;
        this.account = accounts.ofAll();
        this.authenticated = accounts.isOpen();
        this.id = id;
        this.address = address;
        this.host = host;
        this.localAddress = localAddress;
        this.sinceNanos = nowNanos;
        this.activeNanos = nowNanos;
        this.link = link;
    }

    public long id() {
        return id;
    }

    public String address() {
        return address;
    }

    public String host() {
        return host;
    }

    public String localAddress() {
        return localAddress;
    }

    public long sinceNanos() {
        return sinceNanos;
    }

    public Link link() {
        return link;
    }

    /** Returns the account of its user. Any thread. */
    public Account account() {
        return account;
    }

    /** Returns whether it has authenticated, or need not when it came. */
    public boolean authenticated() {
        return authenticated;
    }

    /** It has authenticated as a user. */
    public void authenticated(Account as) {
        account = as;
        authenticated = true;
    }

    public Protocol protocol() {
        return protocol;
    }

    public void protocol(Protocol version) {
        protocol = version;
    }

    public Replies replies() {
        return replies;
    }

    public void replies(Replies mode) {
        replies = mode;
    }

    /** Returns the name that the client has given itself; empty for none. */
    public String name() {
        return name;
    }

    public void name(String text) {
        name = text;
    }

    public String libName() {
        return libName;
    }

    public void libName(String text) {
        libName = text;
        awareVersion = 0;
    }

    public String libVersion() {
        return libVersion;
    }

    public void libVersion(String text) {
        libVersion = text;
    }

    /** Returns the name of the command that it has sent last. */
    public String lastCommand() {
        return lastCommand;
    }

    public void lastCommand(String command) {
        lastCommand = command;
    }

    /** Returns when it has sent something last. */
    public long activeNanos() {
        return activeNanos;
    }

    public void activeNanos(long nanos) {
        activeNanos = nanos;
    }

    public boolean monitor() {
        return monitor;
    }

    public void monitor(boolean value) {
        monitor = value;
    }

    public boolean readOnly() {
        return readOnly;
    }

    public void readOnly(boolean value) {
        readOnly = value;
    }

    /** Returns whether the next request is to be served here, whoever owns its keys. */
    public boolean asking() {
        return asking;
    }

    public void asking(boolean value) {
        asking = value;
    }

    /** Returns whether the client has asked for the cluster's slots on this connection. */
    public boolean aware() {
        return aware;
    }

    public void aware(boolean value) {
        aware = value;
    }

    /** Returns what the client wants to be told of other doors; null if it wants no notices of maintenance. */
    public @Nullable EndpointType notices() {
        return notices;
    }

    public void notices(@Nullable EndpointType type) {
        notices = type;
    }

    public boolean noEvict() {
        return noEvict;
    }

    public void noEvict(boolean value) {
        noEvict = value;
    }

    public boolean noTouch() {
        return noTouch;
    }

    public void noTouch(boolean value) {
        noTouch = value;
    }

    int awareVersion() {
        return awareVersion;
    }

    void awareVersion(int version) {
        awareVersion = version;
    }

    /** Becomes as it was when the connection was opened, as {@code RESET} asks for. */
    public void reset() {
        account = accounts.ofAll();
        authenticated = accounts.isOpen();
        protocol = Protocol.RESP2;
        replies = Replies.ON;
        name = "";
        monitor = false;
        readOnly = false;
        asking = false;
        noEvict = false;
        noTouch = false;
        notices = null;
        link.resetTransaction();
    }
}
