package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.client.ClientTls;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.tls.NodeTrust;
import dev.granary.net.tls.TlsException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of nodes by HTTP, as the options of a connection say: with the certificate and the user that the command
 * has. A cluster with TLS may have HTTP ports with or without it; where there is none, nothing is proved, and no
 * password is sent. Thread-safe.
 */
public final class NodePages {

    private static final int TIMEOUT_MILLIS = 2_000;
    private static final int OK = 200;

    private final @Nullable SSLContext tls;
    private final Supplier<@Nullable Login> login;

    private NodePages(@Nullable SSLContext tls, Supplier<@Nullable Login> login) {
        this.tls = tls;
        this.login = login;
    }

    /**
     * Returns what reads pages.
     *
     * @param files of TLS; null for a cluster without it
     * @param login the user, if there is one
     */
    static NodePages of(@Nullable ClientTls files, Supplier<@Nullable Login> login) {
        try {
            return new NodePages(
                    files == null
                            ? null
                            : NodeTrust.ofFiles(
                                    files.certificate(),
                                    files.key(),
                                    files.ca(),
                                    InstantSource.system().instant()),
                    login);
        } catch (TlsException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns the same for a certificate that the caller has read.
     *
     * @param certificate in PEM, as the others
     */
    public static NodePages ofTexts(String certificate, String key, String ca) {
        try {
            return new NodePages(
                    NodeTrust.ofTexts(
                            certificate, key, ca, InstantSource.system().instant()),
                    () -> null);
        } catch (TlsException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns a page.
     *
     * @param address of the HTTP port of a node
     * @throws IOException saying why there is none
     */
    public String read(String address, String path) throws IOException {
        SSLContext context = tls;
        if (context != null) {
            try {
                return secured(context, URI.create("https://" + address + path));
            } catch (SSLHandshakeException e) {
                throw e;
            } catch (SSLException _) {
                // What came was no TLS.
                return plain(URI.create("http://" + address + path));
            }
        }
        return plain(URI.create("http://" + address + path));
    }

    private String secured(SSLContext context, URI uri) throws IOException {
        HttpsURLConnection connection = (HttpsURLConnection) uri.toURL().openConnection();
        connection.setSSLSocketFactory(context.getSocketFactory());
        // NodeTrust has judged the certificate by its role.
        connection.setHostnameVerifier((_, _) -> true);
        Login user = login.get();
        if (user != null) {
            String pair = user.user() + ":" + user.password();
            connection.setRequestProperty(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
        }
        return body(connection);
    }

    private static String plain(URI uri) throws IOException {
        return body((HttpURLConnection) uri.toURL().openConnection());
    }

    private static String body(HttpURLConnection connection) throws IOException {
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        try {
            int code = connection.getResponseCode();
            if (code != OK) {
                throw new IOException("it answers " + code + ": "
                        + text(connection.getErrorStream()).strip());
            }
            return text(connection.getInputStream());
        } finally {
            connection.disconnect();
        }
    }

    private static String text(@Nullable InputStream body) throws IOException {
        if (body == null) {
            return "";
        }
        try (body) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
