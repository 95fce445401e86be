package dev.granary.storage.keyed;

import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.keyed.GroupCallBytes.Answer;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers calls on slot groups of this peer that other storage peers send. Thread-safe. */
final class IncomingCalls {

    /** Once the replies to calls that came together have so many bytes, the others are sent back. */
    private static final long REPLY_BYTES = 4 << 20;

    /** A message has room for so many bytes of replies. */
    private static final int MOST_REPLY_BYTES = Frame.MAX_BYTES - (1 << 20);

    private final Scheduler scheduler;
    private final GroupExecutor executor;
    private final GroupOpener opener;

    IncomingCalls(Scheduler scheduler, GroupExecutor executor, GroupOpener opener) {
        this.scheduler = scheduler;
        this.executor = executor;
        this.opener = opener;
    }

    /** Adds the requests that this class answers. */
    void addTo(RequestTable requests) {
        requests.add(MessageType.GROUP_CALL, this::one);
        requests.add(MessageType.GROUP_CALLS, this::several);
    }

    private void one(RpcRequest request) {
        GroupCallBytes.Incoming incoming = GroupCallBytes.read(request.payload());
        int group = incoming.call().nid();
        executor.execute(List.of(incoming.call()), request::isCallerThere, Long.MAX_VALUE, new GroupExecutor.Ends() {
            @Override
            public void refused(int call, ErrorReply why) {
                if (why.code() == ErrorCode.NOT_FOUND) {
                    scheduler.execute(() -> openOrRefuse(request, group, incoming.open(), why));
                } else {
                    refuse(request, why);
                }
            }

            @Override
            public void done(int call, GroupReply reply) {
                answer(request, fitting(reply));
            }
        });
    }

    /** Opens a group if this peer is to do that. The caller asks the arc again if another peer was faster. */
    private void openOrRefuse(RpcRequest request, int group, boolean open, ErrorReply refusal) {
        if (open || opener.isWanted(group)) {
            opener.open(
                    group,
                    () -> refuse(
                            request,
                            opener.isOwned(group)
                                    ? ErrorReply.retryLater(0, "the slot group has just been opened here")
                                    : refusal));
        } else {
            refuse(request, refusal);
        }
    }

    private static void refuse(RpcRequest request, ErrorReply refusal) {
        if (refusal.code() == ErrorCode.NOT_FOUND) {
            StorageProbe.GROUP_CALL_TO_A_FORMER_OWNER.hit();
            ByteBuf out = request.startReply(1 + refusal.message().length());
            GroupCallBytes.writeNotOwner(refusal.message(), out);
            request.reply(out);
        } else if (refusal.isRetryable()) {
            answer(request, GroupReply.not(Outcome.REFUSED, refusal.message()));
        } else {
            request.fail(refusal);
        }
    }

    private static void answer(RpcRequest request, GroupReply reply) {
        try {
            ByteBuf out = request.startReply(1 + bytes(reply));
            GroupCallBytes.writeReply(reply, out);
            request.reply(out);
        } finally {
            release(reply);
        }
    }

    /** Returns a reply, or what is told in its place if it is larger than a message. */
    private static GroupReply fitting(GroupReply reply) {
        int bytes = bytes(reply);
        if (bytes <= MOST_REPLY_BYTES) {
            return reply;
        }
        release(reply);
        return GroupReply.not(
                Outcome.UNKNOWN,
                "the replies to requests for one slot group have " + bytes
                        + " bytes, more than storage peers send each other; ask for fewer values in a pipeline");
    }

    private static int bytes(GroupReply reply) {
        ByteBuf replies = reply.replies();
        return replies == null ? reply.message().length() : replies.readableBytes();
    }

    private static void release(GroupReply reply) {
        ByteBuf replies = reply.replies();
        if (replies != null) {
            replies.release();
        }
    }

    private void several(RpcRequest request) {
        List<GroupCall> calls = GroupCallBytes.readAll(request.payload());
        executor.execute(calls, request::isCallerThere, REPLY_BYTES, new Together(request, calls.size()));
    }

    /** The answers to calls that came together, which go back together. */
    private static final class Together implements GroupExecutor.Ends {

        private final RpcRequest request;
        private final Answer[] answers;
        private final AtomicInteger missing;

        Together(RpcRequest request, int calls) {
            this.request = request;
            this.answers = new Answer[calls];
            this.missing = new AtomicInteger(calls);
        }

        @Override
        public void refused(int call, ErrorReply why) {
            StorageProbe.GROUP_CALL_TO_A_FORMER_OWNER.hitIf(why.code() == ErrorCode.NOT_FOUND);
            // What cannot be here, or not for long, is looked for anew.
            ended(
                    call,
                    new Answer(
                            why.isRetryable() ? GroupReply.not(Outcome.REFUSED, why.message()) : null, why.message()));
        }

        @Override
        public void done(int call, GroupReply reply) {
            ended(call, new Answer(fitting(reply), ""));
        }

        private void ended(int call, Answer answer) {
            answers[call] = answer;
            if (missing.decrementAndGet() == 0) {
                send(Arrays.asList(answers));
            }
        }

        private void send(List<Answer> all) {
            try {
                ByteBuf out = request.startReply(
                        all.stream().mapToInt(Together::bytes).sum());
                GroupCallBytes.writeAnswers(all, out);
                request.reply(out);
            } finally {
                all.forEach(Together::release);
            }
        }

        private static int bytes(Answer answer) {
            GroupReply reply = answer.reply();
            return Integer.BYTES + 1 + (reply == null ? answer.message().length() : IncomingCalls.bytes(reply));
        }

        private static void release(Answer answer) {
            GroupReply reply = answer.reply();
            if (reply != null) {
                IncomingCalls.release(reply);
            }
        }
    }
}
