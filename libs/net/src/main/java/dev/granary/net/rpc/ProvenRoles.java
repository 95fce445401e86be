package dev.granary.net.rpc;

import dev.granary.net.Proof;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.NodeRole;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Compares the role that the other side claims in its hello with what TLS has proved (ADR 0329). Whoever has proved
 * more than a client may speak as a client nevertheless: a storage peer does, for its door.
 */
final class ProvenRoles {

    private ProvenRoles() {}

    /** Returns why a caller that claims a role is refused, or null when it is not. */
    @Nullable
    static ErrorReply refusalOf(NodeRole claimed, Proof proof) {
        String problem = proof.problemAsClient();
        if (problem != null) {
            return refusal("the caller is refused", proof, problem);
        }
        if (claimed == NodeRole.CLIENT || proof.role() == Proof.Role.UNPROVED || claimed == roleOf(proof)) {
            return null;
        }
        return refusal("the caller says that it is a " + named(claimed), proof, provedTo(proof));
    }

    /** Returns why a node that was called is refused, or null when it is not. Only nodes are called. */
    @Nullable
    static ErrorReply refusalOfCalled(NodeRole claimed, Proof proof) {
        if (proof.problem() != null) {
            return refusal("the called node is refused", proof, proof.problem());
        }
        boolean node = claimed != NodeRole.CLIENT && claimed == roleOf(proof);
        if (node || proof.role() == Proof.Role.UNPROVED) {
            return null;
        }
        return refusal("the called node says that it is a " + named(claimed), proof, provedTo(proof));
    }

    private static NodeRole roleOf(Proof proof) {
        return switch (proof.role()) {
            case STORAGE_PEER -> NodeRole.STORAGE_PEER;
            case SUPER_PEER -> NodeRole.SUPER_PEER;
            case UNPROVED, CLIENT, MONITOR, OPERATOR -> NodeRole.CLIENT;
        };
    }

    private static String provedTo(Proof proof) {
        return "its certificate says "
                + proof.role().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String named(NodeRole role) {
        return role.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static ErrorReply refusal(String what, Proof proof, String why) {
        return ErrorReply.of(ErrorCode.NOT_PERMITTED, "%s ('%s'): %s".formatted(what, proof.subject(), why));
    }
}
