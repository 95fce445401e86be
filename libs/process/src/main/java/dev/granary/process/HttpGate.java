package dev.granary.process;

import dev.granary.env.Clock;
import dev.granary.net.Proof;
import dev.granary.net.access.PageReaders;
import dev.granary.net.tls.TlsContexts;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may read the pages of an HTTP port (ADR 0359). Without TLS that is everybody. With TLS it is whoever shows a
 * certificate of a node, of an operator or for monitoring, and whoever gives the password of a user with the permission
 * of {@code granary.status}, if there are users. Thread-safe.
 */
public final class HttpGate {

    /** Lets everybody read, without TLS. */
    public static final HttpGate OPEN = new HttpGate(null, null, null);

    /** Lines for auditors have a logger of their own, as those of other ports. */
    private static final Logger AUDIT = LoggerFactory.getLogger("dev.granary.audit");

    private static final int MOST_LINES = 20;
    private static final int WAIT_SECONDS = 5;
    private static final String BASIC = "basic ";

    private static final String CERTIFICATE = "a certificate of a node, of an operator or with the role 'monitor'";

    private final @Nullable TlsContexts tls;
    private final @Nullable PageReaders users;
    private final @Nullable Clock clock;
    private final @Nullable GuessLimit guesses;
    private final AtomicLong toldSecond = new AtomicLong();
    private final AtomicInteger told = new AtomicInteger();

    /** Why a caller may not read a page, and what it is told. */
    record Refusal(HttpRefusals.Reason reason, HttpAnswer answer) {}

    private HttpGate(@Nullable TlsContexts tls, @Nullable PageReaders users, @Nullable Clock clock) {
        this.tls = tls;
        this.users = users;
        this.clock = clock;
        this.guesses = clock == null ? null : new GuessLimit(clock);
    }

    /**
     * Returns the gate of a port with TLS.
     *
     * @param tls of its connections; stays the caller's
     * @param users who may read with passwords; null when there are none
     */
    public static HttpGate of(TlsContexts tls, @Nullable PageReaders users, Clock clock) {
        return new HttpGate(tls, users, clock);
    }

    /** Returns what connections have; null for none. */
    @Nullable
    TlsContexts tls() {
        return tls;
    }

    /** Returns whether a caller is known without a password. */
    boolean knows(Proof proof) {
        return tls == null || (proof.problem() == null && isReader(proof.role()));
    }

    private static boolean isReader(Proof.Role role) {
        return switch (role) {
            case MONITOR, OPERATOR, SUPER_PEER, STORAGE_PEER -> true;
            case UNPROVED, CLIENT -> false;
        };
    }

    /**
     * Returns why a caller may not read a page; null when it may. Whoever gives a password is that user, whatever it
     * has proved. Waits for the comparison of a password.
     *
     * @param authorization the header of this name; null for none
     */
    @Nullable
    Refusal refusal(Proof proof, @Nullable String authorization, String page, InetSocketAddress client) {
        PageReaders readers = users;
        if (tls == null || (knows(proof) && (authorization == null || readers == null))) {
            return null;
        }
        if (readers == null || authorization == null) {
            tell(proof, page, client);
            return new Refusal(
                    HttpRefusals.Reason.UNPROVED, readers == null ? needsCertificate(proof) : needsPassword(""));
        }
        return refusalOf(readers, authorization, page, client);
    }

    private static HttpAnswer needsCertificate(Proof proof) {
        String problem = proof.problem();
        return HttpAnswer.text(
                403,
                (problem == null ? proof.subject() + " may not read this" : problem) + ": show " + CERTIFICATE
                        + " (docs/guides/configuration.md)\n");
    }

    private static HttpAnswer needsPassword(String why) {
        return HttpAnswer.text(
                        401,
                        why + "show " + CERTIFICATE
                                + ", or give the name and the password of a user with the permission +granary.status"
                                + " (docs/guides/configuration.md)\n")
                .with(Map.of("WWW-Authenticate", "Basic realm=\"Granary\", charset=\"UTF-8\""));
    }

    private @Nullable Refusal refusalOf(
            PageReaders readers, String authorization, String page, InetSocketAddress client) {
        String pair = pair(authorization);
        int colon = pair.indexOf(':');
        if (colon < 0) {
            return new Refusal(
                    HttpRefusals.Reason.PASSWORD, needsPassword("this is no name and password of HTTP Basic: "));
        }
        GuessLimit limit = guesses;
        if (limit != null && !limit.mayGuess(client.getAddress())) {
            return new Refusal(HttpRefusals.Reason.GUESSES, tooManyGuesses(client));
        }
        String user = pair.substring(0, colon);
        return switch (outcome(readers, user, pair.substring(colon + 1), page, client)) {
            case YES -> null;
            case WRONG -> {
                if (limit != null) {
                    limit.wrong(client.getAddress());
                }
                yield new Refusal(
                        HttpRefusals.Reason.PASSWORD,
                        needsPassword("there is no user that is on and has this name and password: "));
            }
            case DENIED ->
                new Refusal(
                        HttpRefusals.Reason.PERMISSION,
                        HttpAnswer.text(
                                403,
                                "this user has no permission to read this: give it +granary.status, and a password, in"
                                        + " the file of users\n"));
            case BUSY ->
                new Refusal(
                        HttpRefusals.Reason.BUSY,
                        HttpAnswer.text(503, "too many passwords are compared now; try again in a second\n")
                                .with(Map.of("Retry-After", "1")));
        };
    }

    private static HttpAnswer tooManyGuesses(InetSocketAddress client) {
        return HttpAnswer.text(
                        429, "too many passwords from " + client.getAddress().getHostAddress() + " were wrong\n")
                .with(Map.of("Retry-After", Integer.toString(GuessLimit.SECONDS_EACH)));
    }

    private static PageReaders.Outcome outcome(
            PageReaders readers, String user, String password, String page, InetSocketAddress client) {
        try {
            return readers.mayRead(user, password, page, client).get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return PageReaders.Outcome.BUSY;
        } catch (TimeoutException e) {
            return PageReaders.Outcome.BUSY;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a password could not be compared", e);
        }
    }

    /** Returns name and password with a character for each byte, empty when there are none. */
    private static String pair(String authorization) {
        if (!authorization.toLowerCase(Locale.ROOT).startsWith(BASIC)) {
            return "";
        }
        try {
            return new String(
                    Base64.getDecoder()
                            .decode(authorization.substring(BASIC.length()).strip()),
                    StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** What users may not read, the node's users tell themselves. */
    private void tell(Proof proof, String page, InetSocketAddress client) {
        Clock now = clock;
        long second = now == null ? 0 : TimeUnit.NANOSECONDS.toSeconds(now.nanoTime());
        if (toldSecond.getAndSet(second) != second) {
            told.set(0);
        }
        if (told.incrementAndGet() <= MOST_LINES) {
            AUDIT.atInfo()
                    .addKeyValue("user", proof.subject())
                    .addKeyValue("client", client)
                    .addKeyValue("path", page)
                    .log("a request of HTTP was refused: the caller has proved nothing that is enough");
        }
    }
}
