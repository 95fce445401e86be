package dev.granary.net.tls;

import dev.granary.net.Proof;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;
import java.nio.channels.ClosedChannelException;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands behind the handler of TLS: notes what the other side has proved, and says in plain words why a handshake has
 * failed. I/O thread of the connection only.
 */
final class TlsGuard extends ChannelInboundHandlerAdapter {

    static final AttributeKey<Proof> PROOF = AttributeKey.valueOf(TlsGuard.class, "proof");

    private static final Logger LOG = LoggerFactory.getLogger(TlsGuard.class);

    private static final Proof NOT_YET =
            new Proof(Proof.Role.CLIENT, "a caller in its handshake", "the handshake of TLS has not ended");

    private final SslHandler tls;
    private final @Nullable CertificateIdentity own;
    private final ProvedConnections proved;
    private final @Nullable Runnable refused;
    private final CompletableFuture<Proof> handshake = new CompletableFuture<>();
    private boolean failed;

    /** Set before this is among those that have proved something. */
    private volatile @Nullable Shown shown;

    /** What the other side has shown. */
    private record Shown(X509Certificate certificate, Channel channel) {}

    /**
     * @param own who this process is, null when it has no certificate
     * @param proved takes this while the connection is open and its other side has shown a certificate
     * @param refused runs when the handshake of an accepted connection has failed; null for one that was opened here
     */
    TlsGuard(SslHandler tls, @Nullable CertificateIdentity own, ProvedConnections proved, @Nullable Runnable refused) {
        this.tls = tls;
        this.own = own;
        this.proved = proved;
        this.refused = refused;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        context.channel().attr(PROOF).set(NOT_YET);
    }

    /** What the other side has proved, or why its handshake has failed. */
    CompletableFuture<Proof> handshake() {
        return handshake;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        proved.remove(this);
        handshake.completeExceptionally(new ClosedChannelException());
        context.fireChannelInactive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent ended) {
            if (ended.isSuccess()) {
                Proof proof = proof(context.channel());
                context.channel().attr(PROOF).set(proof);
                handshake.complete(proof);
            } else {
                fail(context, ended.cause());
            }
        }
        context.fireUserEventTriggered(event);
    }

    private Proof proof(Channel channel) {
        try {
            if (tls.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate certificate) {
                shown = new Shown(certificate, channel);
                proved.add(this);
                return CertificateIdentity.of(certificate).provedTo(own);
            }
            return Proof.ANONYMOUS;
        } catch (SSLPeerUnverifiedException e) {
            LOG.trace("no certificate was shown", e);
            return Proof.ANONYMOUS;
        }
    }

    /** Closes the connection if the certificate of the other side was revoked. Any thread. */
    void closeIfRevoked(RevocationLists revoked) {
        Shown other = shown;
        if (other != null && revoked.isRevoked(other.certificate())) {
            LOG.warn(
                    "closing the connection with {}: its certificate '{}', serial number {}, was revoked",
                    other.channel().remoteAddress(),
                    other.certificate().getSubjectX500Principal().getName(),
                    other.certificate().getSerialNumber().toString(16));
            var _ = other.channel().close();
        }
    }

    private void fail(ChannelHandlerContext context, Throwable cause) {
        failed = true;
        handshake.completeExceptionally(cause);
        if (refused != null && !context.channel().eventLoop().isShuttingDown()) {
            refused.run();
            LOG.warn(
                    "refusing the connection from {}: {}",
                    context.channel().remoteAddress(),
                    TlsFailures.explain(cause));
        }
    }

    /** The failure of a handshake has been told, and its connection is closed by the handler of TLS. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        boolean ofTls = cause instanceof SSLException
                || (cause instanceof DecoderException && cause.getCause() instanceof SSLException);
        if (!ofTls) {
            context.fireExceptionCaught(cause);
        } else if (!failed) {
            context.fireExceptionCaught(new SSLException(TlsFailures.explain(cause), cause));
        }
    }
}
