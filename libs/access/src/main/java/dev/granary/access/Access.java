package dev.granary.access;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.env.Settled;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import dev.granary.resp.acl.UsersFile;
import dev.granary.resp.acl.UsersFile.UsersFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access control of a node: its users, which may come from a file, what was refused, and the lines for auditors. The
 * file is read again when it has changed; one with an error in it changes nothing. Thread-safe.
 */
public final class Access implements AutoCloseable {

    /** Lines for auditors have a logger of their own, so that they can be kept apart. */
    private static final Logger AUDIT = LoggerFactory.getLogger("dev.granary.audit");

    private static final Logger LOG = LoggerFactory.getLogger(Access.class);

    private static final int MOST_LINES = 20;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Accounts accounts;
    private final AclLog log = new AclLog();
    private final RandomGenerator random;
    private final Authenticator authenticator;
    private final @Nullable Path file;
    private final Map<Denial.Reason, LongAdder> denials = new EnumMap<>(Denial.Reason.class);

    private final AtomicLong toldSecond = new AtomicLong();
    private final AtomicInteger told = new AtomicInteger();

    /** The content of the file: that in use, or one with errors, so that these are told once. */
    @GuardedBy("this")
    private final Settled<ByteBuffer> content = new Settled<>(ByteBuffer.allocate(0));

    /** Closes connections of the door, if there is one. */
    private volatile Consumer<List<Account>> door = gone -> {};

    private @Nullable Loop looks;

    /**
     * Access control without a file's users yet.
     *
     * @param file of users, in Redis's format; null if there is none
     * @param random draws keys and passwords, on any thread; nobody can predict it
     */
    public Access(@Nullable Path file, RandomGenerator random) {
        this.random = random;
        this.authenticator = new Authenticator(random);
        this.accounts = new Accounts(RuleNames.ofGranary());
        this.file = file;
        for (Denial.Reason reason : Denial.Reason.values()) {
            denials.put(reason, new LongAdder());
        }
    }

    /** Names who learns of accounts that are no more, or disabled, when the file has changed. Before {@link #begin}. */
    public void tellDoor(Consumer<List<Account>> learner) {
        door = learner;
    }

    /**
     * Reads the file, and looks at it each second from then on. Called once.
     *
     * @throws IOException when the file cannot be read, or has errors; the message says what to do
     */
    public void begin(Scheduler scheduler) throws IOException {
        try {
            load(gone -> {});
        } catch (IOException | UsersFileException e) {
            throw new IOException(
                    "the file of users '" + file + "' cannot be used: " + e.getMessage()
                            + "; correct it, or users.file",
                    e);
        }
        Loop begun = Loop.every(scheduler, "users-file", LOOK_NANOS, this::look);
        begun.begin();
        looks = begun;
    }

    public Accounts accounts() {
        return accounts;
    }

    /** Returns what draws new passwords. */
    public RandomGenerator random() {
        return random;
    }

    public AclLog log() {
        return log;
    }

    /** Returns the file of users; null if there is none. */
    public @Nullable Path file() {
        return file;
    }

    /** Returns how often something was refused for a reason. */
    public long denials(Denial.Reason reason) {
        LongAdder count = denials.get(reason);
        return count == null ? 0 : count.sum();
    }

    /** Returns whether a password is right for a user; fails when too many ask that. */
    public CompletableFuture<Boolean> isRight(String name, String password) {
        Account account = accounts.find(name);
        return authenticator.isRight(account == null ? null : account.user(), password);
    }

    /** Notes that something was refused. */
    public void denied(AclLog.Entry entry, String address, int mostEntries) {
        LongAdder count = denials.get(entry.reason());
        if (count != null) {
            count.increment();
        }
        long times = log.add(entry, mostEntries);
        // The first, second, fourth, eighth ... time.
        if (Long.bitCount(times) == 1 && mayTell(entry.wallMillis())) {
            AUDIT.atInfo()
                    .addKeyValue("user", entry.user())
                    .addKeyValue("client", address)
                    .addKeyValue("reason", entry.reason().word())
                    .addKeyValue("object", entry.object())
                    .addKeyValue("times", times)
                    .log("a request of a user was refused");
        }
    }

    /** At most {@link #MOST_LINES} lines a second, whatever clients ask for. */
    private boolean mayTell(long wallMillis) {
        long second = TimeUnit.MILLISECONDS.toSeconds(wallMillis);
        if (toldSecond.getAndSet(second) != second) {
            told.set(0);
        }
        return told.incrementAndGet() <= MOST_LINES;
    }

    /** Notes something administrative that a client has done. */
    public static void administrated(String user, String address, String command) {
        AUDIT.atInfo()
                .addKeyValue("user", user)
                .addKeyValue("client", address)
                .addKeyValue("command", command)
                .log("a user has administrated");
    }

    /**
     * Reads the file of users, if there is one. All that is in it holds from then on, or nothing.
     *
     * @param gone learns of accounts that are no more, or disabled, in place of the door
     * @throws IOException when it cannot be read
     * @throws UsersFileException when it has errors
     */
    public void load(Consumer<List<Account>> gone) throws IOException, UsersFileException {
        Path users = file;
        if (users != null) {
            use(users, Files.readAllBytes(users), gone);
        }
    }

    private synchronized void use(Path users, byte[] bytes, Consumer<List<Account>> gone) throws UsersFileException {
        content.use(ByteBuffer.wrap(bytes));
        List<User> all =
                UsersFile.read(users.toString(), new String(bytes, StandardCharsets.ISO_8859_1), accounts.names());
        gone.accept(accounts.replace(all));
        AUDIT.atInfo()
                .addKeyValue("file", users)
                .addKeyValue("users", all.size())
                .log("users were read from a file");
    }

    /**
     * Looks at the file on a thread of its own, and reads it again when it has changed and two looks in a row have
     * found the same. A file that somebody is writing may have no users for a moment, which would let everybody in.
     */
    private void look() {
        if (file != null) {
            authenticator.execute(this::lookHere);
        }
    }

    /** Does that on the calling thread. */
    synchronized void lookHere() {
        Path users = file;
        if (users == null) {
            return;
        }
        try {
            byte[] bytes = Files.readAllBytes(users);
            if (content.isNew(ByteBuffer.wrap(bytes))) {
                use(users, bytes, door);
            }
        } catch (IOException e) {
            // It may be in the middle of a change; as long as it is missing, the users stay.
            LOG.atDebug().addKeyValue("file", users).setCause(e).log("the file of users cannot be read");
        } catch (UsersFileException e) {
            LOG.atWarn()
                    .addKeyValue("file", users)
                    .log(
                            "the file of users was changed and has errors; the users stay as they were: {}",
                            e.getMessage());
        }
    }

    @Override
    public void close() {
        if (looks != null) {
            looks.stop();
        }
        authenticator.close();
    }
}
