package dev.granary.client.internal;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ClientOptions;
import dev.granary.client.ClientProvider;
import dev.granary.client.ClientTls;
import dev.granary.client.ClientTlsText;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.Transport;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsException;
import dev.granary.net.tls.TlsSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens clients in the real world: with the system's clock, a thread for timers, and TCP. */
public final class NettyClients implements ClientProvider {

    private static final Logger LOG = LoggerFactory.getLogger(NettyClients.class);

    /** For {@link java.util.ServiceLoader}. */
    public NettyClients() {}

    @Override
    public AsyncGranaryClient connect(ClientOptions options) {
        Credentials credentials = credentials(options);
        TlsContexts tls = tls(options);
        ThreadScheduler scheduler =
                new ThreadScheduler("granary-client", failure -> LOG.error("A task of the client failed", failure));
        Transport transport = new NettyTransport(
                NettyOptions.defaults().withIoThreads(options.ioThreads()).withTls(tls));
        SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
        ConnectedClient client =
                new ConnectedClient(new SystemClock(), scheduler, random, transport, options, credentials, () -> {
                    transport.close();
                    scheduler.close();
                    if (tls != null) {
                        tls.close();
                    }
                });
        try {
            var _ = GranaryClient.await(client.view());
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static Credentials credentials(ClientOptions options) {
        Path file = options.clusterSecretFile();
        String text = options.clusterSecret();
        try {
            if (text != null) {
                return Credentials.of(ClusterSecret.of(text), new SecureRandom());
            }
            return file == null ? Credentials.none() : Credentials.of(ClusterSecret.read(file), new SecureRandom());
        } catch (IOException | IllegalArgumentException e) {
            throw new GranaryException("the cluster's secret is not known: " + e.getMessage(), e);
        }
    }

    private static @Nullable TlsContexts tls(ClientOptions options) {
        ClientTlsText text = options.tlsText();
        ClientTls files = options.tls();
        try {
            if (text != null) {
                return TlsContexts.ofTexts(text.certificate(), text.key(), text.ca(), new SystemClock());
            }
            return files == null
                    ? null
                    : TlsContexts.open(
                            new TlsSettings(
                                    files.certificate(),
                                    files.key(),
                                    files.ca(),
                                    TlsSettings.crl(files.ca(), null),
                                    TlsSettings.ClientAuthentication.REQUIRED),
                            new SystemClock());
        } catch (TlsException e) {
            throw new IllegalArgumentException("TLS: " + e.getMessage(), e);
        }
    }
}
