package dev.granary.process;

import dev.granary.net.Proof;
import dev.granary.net.tls.TlsContexts;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the HTTP port: one request after the other, each answered by a thread of its own. I/O thread of the
 * connection only, but for {@link #answer}.
 *
 * <pre>
 *   READING ── a whole request ──▶ ANSWERING ── the answer is written ──▶ READING, or closed
 * </pre>
 *
 * <p>Each state has a time limit, after which the connection is closed. While a request is answered nothing is read.
 */
final class HttpConnection extends SimpleChannelInboundHandler<HttpObject> {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    private final HttpRoutes routes;
    private final HttpGate gate;
    private final HttpRefusals refusals;
    private final Executor executor;
    private final Times times;

    private @Nullable HttpRequest request;
    private boolean answering;
    private boolean leaving;
    private @Nullable Future<?> limit;

    /**
     * How long a connection may take.
     *
     * @param firstMillis for the handshake of TLS and the first request
     * @param nextMillis for the next request after an answer
     * @param answerMillis for an answer, until it is written
     */
    record Times(int firstMillis, int nextMillis, int answerMillis) {

        static final Times DEFAULT = new Times(10_000, 60_000, 30_000);
    }

    HttpConnection(HttpRoutes routes, HttpGate gate, HttpRefusals refusals, Executor executor, Times times) {
        this.routes = routes;
        this.gate = gate;
        this.refusals = refusals;
        this.executor = executor;
        this.times = times;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        limitTo(context, times.firstMillis());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        noLimit();
    }

    private void limitTo(ChannelHandlerContext context, int millis) {
        noLimit();
        Channel channel = context.channel();
        limit = context.executor()
                .schedule(
                        () -> {
                            var _ = channel.close();
                        },
                        millis,
                        TimeUnit.MILLISECONDS);
    }

    private void noLimit() {
        Future<?> before = limit;
        if (before != null) {
            before.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (leaving) {
            return;
        }
        if (answering) {
            // Nobody needs several requests at once; whoever sends them asks again on another connection.
            leaving = true;
            return;
        }
        HttpAnswer refusal = refusal(part);
        if (refusal != null) {
            leaving = true;
            refusals.add(HttpRefusals.Reason.REQUEST);
            write(context, refusal);
            return;
        }
        if (part instanceof HttpRequest begun) {
            request = begun;
        }
        HttpRequest whole = request;
        if (part instanceof LastHttpContent && whole != null) {
            request = null;
            begin(context, whole);
        }
    }

    /** Returns why a part of a request ends the connection. */
    private static @Nullable HttpAnswer refusal(HttpObject part) {
        Throwable failure = part.decoderResult().cause();
        if (failure instanceof TooLongHttpLineException) {
            return HttpAnswer.text(414, "the address is too long\n");
        }
        if (failure instanceof TooLongHttpHeaderException) {
            return HttpAnswer.text(431, "the headers are too long\n");
        }
        if (failure != null) {
            return HttpAnswer.text(400, "this is no request of HTTP/1.1\n");
        }
        boolean hasBody = part instanceof io.netty.handler.codec.http.HttpContent body
                && body.content().isReadable();
        boolean willHave = part instanceof HttpRequest begun
                && (HttpUtil.isTransferEncodingChunked(begun) || HttpUtil.getContentLength(begun, 0L) > 0);
        return hasBody || willHave ? HttpAnswer.text(413, "a request has no body here\n") : null;
    }

    private void begin(ChannelHandlerContext context, HttpRequest whole) {
        answering = true;
        leaving = !HttpUtil.isKeepAlive(whole);
        Channel channel = context.channel();
        channel.config().setAutoRead(false);
        limitTo(context, times.answerMillis());
        Proof proof = TlsContexts.proofOf(channel);
        if (!gate.knows(proof) && whole.headers().get(HttpHeaderNames.AUTHORIZATION) == null) {
            // Strangers take their turn each time, so that they cannot keep others out.
            leaving = true;
        }
        InetSocketAddress client = (InetSocketAddress) channel.remoteAddress();
        try {
            executor.execute(() -> {
                HttpAnswer answer = answerOrFail(whole, proof, client);
                context.executor().execute(() -> write(context, answer));
            });
        } catch (RejectedExecutionException e) {
            // The port is being closed.
            var _ = channel.close();
        }
    }

    private HttpAnswer answerOrFail(HttpRequest whole, Proof proof, InetSocketAddress client) {
        try {
            return answer(whole, proof, client);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).addKeyValue("path", whole.uri()).log("HTTP request failed");
            return HttpAnswer.text(500, "internal failure, see the log\n");
        }
    }

    private HttpAnswer answer(HttpRequest whole, Proof proof, InetSocketAddress client) {
        if (!whole.method().equals(HttpMethod.GET) && !whole.method().equals(HttpMethod.HEAD)) {
            refusals.add(HttpRefusals.Reason.REQUEST);
            return HttpAnswer.text(405, "only GET and HEAD are allowed\n").with(Map.of("Allow", "GET, HEAD"));
        }
        String path = path(whole);
        if (path == null) {
            refusals.add(HttpRefusals.Reason.REQUEST);
            return HttpAnswer.text(400, "this is no address of a page\n");
        }
        if (HttpRoutes.isProbe(path)) {
            return routes.probe(path, gate.knows(proof));
        }
        HttpGate.Refusal refusal =
                gate.refusal(proof, whole.headers().get(HttpHeaderNames.AUTHORIZATION), path, client);
        if (refusal != null) {
            refusals.add(refusal.reason());
            return refusal.answer();
        }
        return routes.answer(
                path,
                whole.headers().get(HttpHeaderNames.ACCEPT),
                whole.headers().get(HttpHeaderNames.IF_NONE_MATCH));
    }

    private static @Nullable String path(HttpRequest whole) {
        try {
            return new URI(whole.uri()).getPath();
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private void write(ChannelHandlerContext context, HttpAnswer answer) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.code()), Unpooled.wrappedBuffer(answer.body()));
        answer.headers().forEach(response.headers()::set);
        HttpUtil.setContentLength(response, answer.body().length);
        HttpUtil.setKeepAlive(response, !leaving);
        var written = context.writeAndFlush(response);
        if (leaving) {
            written.addListener(ChannelFutureListener.CLOSE);
            return;
        }
        written.addListener(done -> {
            if (!done.isSuccess() || leaving) {
                var _ = context.close();
                return;
            }
            answering = false;
            limitTo(context, times.nextMillis());
            context.channel().config().setAutoRead(true);
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.atDebug()
                .addKeyValue("client", context.channel().remoteAddress())
                .setCause(cause)
                .log("a connection of HTTP has failed");
        var _ = context.close();
    }
}
