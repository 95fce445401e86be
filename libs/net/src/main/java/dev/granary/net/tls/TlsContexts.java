package dev.granary.net.tls;

import dev.granary.env.Clock;
import dev.granary.env.Settled;
import dev.granary.net.Proof;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import io.netty.channel.Channel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS 1.3 for the connections of a process (ADR 0328). The files are looked at each second, on a thread of its own:
 * what has changed and is good holds for connections from then on, and those that are open go on as they are. What is
 * not good is refused, and the former files' content goes on. Thread-safe; {@link #close} ends the thread.
 *
 * <p>The content is compared, not times or names, because Kubernetes swaps a link of the directory above. A change is
 * taken when two looks have seen the same: between them somebody may write one file after the other.
 */
public final class TlsContexts implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

    private static final String VERSION = "TLSv1.3";
    private static final long LOOK_MILLIS = 1_000;

    private final TlsSettings settings;
    private final Clock clock;
    private final ScheduledThreadPoolExecutor thread;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final ProvedConnections proved = new ProvedConnections();

    private volatile Current current;

    /** Of the thread that looks. */
    private final Settled<Credentials.Content> files;

    private @Nullable String lastComplaint;

    /**
     * What holds for new connections.
     *
     * @param accepting null for a process without a certificate, which accepts nothing
     */
    private record Current(
            @Nullable SslContext accepting,
            SslContext calling,
            @Nullable CertificateIdentity own,
            @Nullable Instant expiry,
            List<X509Certificate> chain,
            List<X509Certificate> authorities,
            RevocationLists revoked) {}

    /** @param lookMillis how long to wait between two looks; 0 for content that does not come from files */
    private TlsContexts(TlsSettings settings, Credentials.Content content, Clock clock, long lookMillis)
            throws TlsException {
        this.settings = settings;
        this.clock = clock;
        this.current = contexts(content);
        this.proved.revoke(current.revoked);
        this.files = new Settled<>(content);
        this.thread = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("granary-tls", true));
        if (lookMillis > 0) {
            var _ = thread.scheduleWithFixedDelay(this::look, lookMillis, lookMillis, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Reads the files.
     *
     * @param clock its wall time is compared with the times in certificates
     * @throws TlsException naming the file that cannot be used
     */
    public static TlsContexts open(TlsSettings settings, Clock clock) throws TlsException {
        return open(settings, clock, LOOK_MILLIS);
    }

    static TlsContexts open(TlsSettings settings, Clock clock, long lookMillis) throws TlsException {
        TlsContexts opened = new TlsContexts(settings, Credentials.read(settings), clock, lookMillis);
        LOG.info("TLS by {}, {}", Provider.NAME, opened.described());
        return opened;
    }

    /**
     * Takes what else would be in files, once and for all: for a process that calls others and has it from elsewhere.
     *
     * @param certificate as {@link TlsSettings#certificate}, in PEM; null for none
     * @param key its private key, in PEM; null exactly when there is no certificate
     * @param ca as {@link TlsSettings#ca}, in PEM
     * @throws TlsException saying which of the three cannot be used
     */
    public static TlsContexts ofTexts(@Nullable String certificate, @Nullable String key, String ca, Clock clock)
            throws TlsException {
        Path nowhere = Path.of("given as text");
        TlsSettings settings = new TlsSettings(
                certificate == null ? null : nowhere,
                key == null ? null : nowhere,
                nowhere,
                null,
                ClientAuthentication.REQUIRED);
        return new TlsContexts(settings, new Credentials.Content(certificate, key, ca, null), clock, 0);
    }

    /** Returns what has been proved on a connection, {@link Proof#NONE} without TLS. */
    public static Proof proofOf(Channel channel) {
        Proof proof = channel.attr(TlsGuard.PROOF).get();
        return proof == null ? Proof.NONE : proof;
    }

    /**
     * Puts TLS behind the handlers of a new connection that was accepted from nodes and clients. It has no time limit:
     * the port has one for all that comes before the hello.
     *
     * @param whenRefused runs when the handshake has failed
     */
    public void accept(Channel channel, Runnable whenRefused) {
        boolean required = settings.clients() == ClientAuthentication.REQUIRED;
        // Nodes must be able to prove themselves where clients need not.
        accept(channel, required ? ClientAuthentication.REQUIRED : ClientAuthentication.OPTIONAL, 0, whenRefused);
    }

    /**
     * Puts TLS behind the handlers of a new connection that was accepted.
     *
     * @param clients whether the caller must show a certificate
     * @param handshakeMillis the longest time for the handshake, 0 for no limit
     * @param whenRefused runs when the handshake has failed
     */
    public void accept(Channel channel, ClientAuthentication clients, int handshakeMillis, Runnable whenRefused) {
        Current now = current;
        if (now.accepting == null) {
            throw new IllegalStateException("a process without a certificate accepts no connections");
        }
        SslHandler handler = now.accepting.newHandler(channel.alloc());
        switch (clients) {
            case REQUIRED -> handler.engine().setNeedClientAuth(true);
            case OPTIONAL -> handler.engine().setWantClientAuth(true);
            case NONE -> handler.engine().setNeedClientAuth(false);
        }
        add(channel, handler, handshakeMillis, new TlsGuard(handler, now.own, proved, whenRefused));
    }

    /**
     * Puts TLS behind the handlers of a new connection that is opened here.
     *
     * @param handshakeMillis the longest time for the handshake
     */
    public void call(Channel channel, int handshakeMillis) {
        Current now = current;
        SslHandler handler = now.calling.newHandler(channel.alloc());
        add(channel, handler, handshakeMillis, new TlsGuard(handler, now.own, proved, null));
    }

    /** Returns what ends with the handshake of a connection; null without TLS. Completes on its I/O thread. */
    public static @Nullable CompletableFuture<Proof> handshakeOf(Channel channel) {
        TlsGuard guard = channel.pipeline().get(TlsGuard.class);
        return guard == null ? null : guard.handshake();
    }

    /** Returns in plain words why a handshake has failed. */
    public static String explain(Throwable failure) {
        return TlsFailures.explain(failure);
    }

    private static void add(Channel channel, SslHandler handler, int handshakeMillis, TlsGuard guard) {
        handler.setHandshakeTimeoutMillis(handshakeMillis);
        channel.pipeline().addLast(handler).addLast(guard);
    }

    /** Returns in how many seconds the certificate of this process expires; NaN when it has none. Any thread. */
    public double secondsToExpiry() {
        Instant expiry = current.expiry;
        return expiry == null ? Double.NaN : (expiry.toEpochMilli() - clock.wallMillis()) / 1e3;
    }

    /** Returns how many seconds the certificate of this process is valid in all; NaN when it has none. Any thread. */
    public double lifetimeSeconds() {
        X509Certificate own = certificate();
        return own == null
                ? Double.NaN
                : Duration.between(
                                own.getNotBefore().toInstant(),
                                own.getNotAfter().toInstant())
                        .toSeconds();
    }

    /** Returns the certificate of this process, which holds for new connections; null when it has none. Any thread. */
    public @Nullable X509Certificate certificate() {
        List<X509Certificate> chain = current.chain;
        return chain.isEmpty() ? null : chain.getFirst();
    }

    /** Returns the certificates of the CAs that new connections trust. Any thread. */
    public List<X509Certificate> authorities() {
        return current.authorities;
    }

    /** Returns how many certificates are revoked for new connections. Any thread. */
    public int revokedCertificates() {
        return current.revoked.count();
    }

    /** Returns after how many seconds a new revocation list is due; NaN when none says so. Any thread. */
    public double secondsToNextLists() {
        Instant next = current.revoked.nextUpdate();
        return next == null ? Double.NaN : (next.toEpochMilli() - clock.wallMillis()) / 1e3;
    }

    /** Returns how often changed files were taken since the start. Any thread. */
    public long filesTaken() {
        return taken.get();
    }

    /** Returns how often changed files were refused since the start. Any thread. */
    public long filesRefused() {
        return refused.get();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void look() {
        try {
            Credentials.Content content = Credentials.read(settings);
            requireLists(content);
            if (files.isNew(content)) {
                current = contexts(content);
                files.use(content);
                taken.incrementAndGet();
                proved.revoke(current.revoked);
                LOG.info("the files of TLS have changed, and hold for new connections: {}", described());
            }
            if (files.isInUse(content)) {
                lastComplaint = null;
            }
        } catch (TlsException | RuntimeException e) {
            complain(String.valueOf(e.getMessage()));
        }
    }

    /** A list that is deleted must not make good again what it has revoked. */
    private void requireLists(Credentials.Content content) throws TlsException {
        TlsSettings.Crl crl = settings.crl();
        if (crl != null && content.crl() == null && files.used().crl() != null) {
            throw new TlsException(
                    "the revocation file " + crl.file() + " does not exist any more; an empty one revokes nothing");
        }
    }

    /** Says it once for each reason: the files are looked at again each second. */
    private void complain(String reason) {
        if (!reason.equals(lastComplaint)) {
            lastComplaint = reason;
            refused.incrementAndGet();
            LOG.error("the files of TLS have changed and are not used, the former ones go on: {}", reason);
        }
    }

    private String described() {
        Current now = current;
        String who = now.own == null
                ? "without a certificate"
                : "as '" + now.own.subject() + "', which expires at " + now.expiry;
        return now.revoked.isEmpty() ? who : who + "; " + now.revoked.count() + " certificates are revoked";
    }

    private Current contexts(Credentials.Content content) throws TlsException {
        Credentials credentials = Credentials.of(settings, content, Instant.ofEpochMilli(clock.wallMillis()));
        try {
            SslContextBuilder calling = SslContextBuilder.forClient();
            SslContext accepting = null;
            CertificateIdentity own = null;
            if (credentials.key() != null) {
                calling.keyManager(credentials.key(), credentials.chain());
                accepting = common(SslContextBuilder.forServer(credentials.key(), credentials.chain()), credentials);
                own = CertificateIdentity.of(credentials.chain().getFirst());
            }
            // Addresses are never identity: what counts is the role that the certificate names.
            calling.endpointIdentificationAlgorithm(null);
            return new Current(
                    accepting,
                    common(calling, credentials),
                    own,
                    credentials.expiry(),
                    credentials.chain(),
                    credentials.authorities(),
                    credentials.revoked());
        } catch (SSLException | IllegalArgumentException e) {
            throw new TlsException(
                    "TLS cannot be made with " + settings.certificate() + " and " + settings.ca() + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static SslContext common(SslContextBuilder builder, Credentials credentials)
            throws SSLException, TlsException {
        builder.sslProvider(Provider.CHOSEN).protocols(VERSION);
        return (credentials.revoked().isEmpty()
                        ? builder.trustManager(credentials.authorities())
                        : builder.trustManager(
                                RevokingTrustManager.of(credentials.authorities(), credentials.revoked())))
                .build();
    }

    /** Chosen once, when TLS is used: the native library takes megabytes. */
    private static final class Provider {

        private static final SslProvider CHOSEN = choose();
        private static final String NAME = CHOSEN == SslProvider.JDK ? "the JDK" : OpenSsl.versionString();

        private static SslProvider choose() {
            if (OpenSsl.isAvailable() && SslProvider.isTlsv13Supported(SslProvider.OPENSSL)) {
                return SslProvider.OPENSSL;
            }
            Throwable cause = OpenSsl.unavailabilityCause();
            LOG.warn(
                    "TLS by the JDK, which takes more processor time: the native library is not there ({})",
                    cause == null ? "no reason is known" : cause.toString());
            return SslProvider.JDK;
        }
    }
}
