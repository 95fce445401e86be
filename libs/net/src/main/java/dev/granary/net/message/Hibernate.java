package dev.granary.net.message;

import dev.granary.net.FrameException;
import io.netty.buffer.ByteBuf;

/**
 * A person or the operator takes a storage peer through a planned stop (ADR 0120). All peers are to refuse changes before the
 * first one is parked, so that none misses anything of another. Asked again it tells how far it is.
 *
 * @param step what is wanted
 */
public record Hibernate(Step step) implements Message {

    /** Codes are part of the protocol: never reuse. */
    public enum Step {
        /** Changes are taken again; nothing of a parked peer. */
        WORK(0),
        /** Changes are refused; what was taken goes to the backups, and is synced there. */
        REFUSE_CHANGES(1),
        /** Nothing is served any more; the memory goes to the disk. */
        PARK(2);

        private final int code;

        Step(int code) {
            this.code = code;
        }

        private static Step ofCode(int code) {
            for (Step step : values()) {
                if (step.code == code) {
                    return step;
                }
            }
            throw new FrameException("there is no step " + code + " of a planned stop");
        }
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeByte(step.code);
    }

    static Hibernate read(ByteBuf in) {
        return new Hibernate(Step.ofCode(in.readUnsignedByte()));
    }
}
