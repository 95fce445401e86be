package dev.granary.storage.keyed;

import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.keyed.GroupCallBytes.Answer;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Answers calls on slot groups of this peer that other storage peers and clients send (ADR 0272, 0311). Nothing is sent
 * on. Thread-safe.
 */
final class IncomingCalls {

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
                    scheduler.execute(() -> openOrRefuse(group, incoming.open(), why, told -> refuse(request, told)));
                } else {
                    refuse(request, why);
                }
            }

            @Override
            public void done(int call, GroupReply reply) {
                answer(request, fitting(reply, MOST_REPLY_BYTES));
            }
        });
    }

    /**
     * Opens a group if this peer is to do that, as a task of the scheduler. The caller asks the arc again if another
     * peer was faster.
     *
     * @param refusal that this peer does not own the group
     * @param refuse told why the call was not carried out
     */
    private void openOrRefuse(int group, boolean open, ErrorReply refusal, Consumer<ErrorReply> refuse) {
        if (open || opener.isWanted(group)) {
            opener.open(
                    group,
                    () -> refuse.accept(
                            opener.isOwned(group)
                                    ? ErrorReply.retryLater(0, "the slot group has just been opened here")
                                    : refusal));
        } else {
            refuse.accept(refusal);
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
    private static GroupReply fitting(GroupReply reply, int mostBytes) {
        int bytes = bytes(reply);
        if (bytes <= mostBytes) {
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
        List<GroupCallBytes.Incoming> incoming = GroupCallBytes.readAll(request.payload());
        List<GroupCall> calls =
                incoming.stream().map(GroupCallBytes.Incoming::call).toList();
        executor.execute(calls, request::isCallerThere, GroupCalls.REPLY_BYTES, new Together(request, incoming));
    }

    /** The answers to calls that came together, which go back together. */
    private final class Together implements GroupExecutor.Ends {

        private final RpcRequest request;
        private final List<GroupCallBytes.Incoming> incoming;
        private final Answer[] answers;
        private final AtomicInteger missing;

        Together(RpcRequest request, List<GroupCallBytes.Incoming> incoming) {
            this.request = request;
            this.incoming = incoming;
            this.answers = new Answer[incoming.size()];
            this.missing = new AtomicInteger(incoming.size());
        }

        @Override
        public void refused(int call, ErrorReply why) {
            if (why.code() != ErrorCode.NOT_FOUND) {
                ended(call, answer(why));
                return;
            }
            int group = incoming.get(call).call().nid();
            boolean open = incoming.get(call).open();
            try {
                scheduler.execute(() -> openOrRefuse(group, open, why, told -> ended(call, answer(told))));
            } catch (RejectedExecutionException e) {
                ended(call, Answer.of(GroupReply.not(Outcome.REFUSED, "this storage peer is stopping")));
            }
        }

        private Answer answer(ErrorReply why) {
            if (why.code() == ErrorCode.NOT_FOUND) {
                StorageProbe.GROUP_CALL_TO_A_FORMER_OWNER.hit();
                return Answer.not(GroupCalls.NOT_OWNER, why.message());
            }
            return why.isRetryable()
                    ? Answer.of(GroupReply.not(Outcome.REFUSED, why.message()))
                    : Answer.not(GroupCalls.INVALID, why.message());
        }

        @Override
        public void leftOut(int call) {
            ended(call, Answer.not(GroupCalls.LEFT_OUT, ""));
        }

        @Override
        public void done(int call, GroupReply reply) {
            ended(call, Answer.of(fitting(reply, MOST_REPLY_BYTES - GroupCalls.REPLY_BYTES)));
        }

        private void ended(int call, Answer answer) {
            answers[call] = answer;
            if (missing.decrementAndGet() == 0) {
                send(Arrays.asList(answers));
            }
        }

        private void send(List<Answer> all) {
            try {
                ByteBuf out = request.startReply(Integer.BYTES
                        + all.stream().mapToInt(IncomingCalls::bytes).sum());
                GroupCallBytes.writeAnswers(all, out);
                request.reply(out);
            } finally {
                all.forEach(answer -> {
                    GroupReply reply = answer.reply();
                    if (reply != null) {
                        release(reply);
                    }
                });
            }
        }
    }

    private static int bytes(Answer answer) {
        GroupReply reply = answer.reply();
        return Integer.BYTES + 1 + (reply == null ? answer.message().length() : bytes(reply));
    }
}
