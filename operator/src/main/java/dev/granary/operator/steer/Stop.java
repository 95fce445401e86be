package dev.granary.operator.steer;

/**
 * A pod that goes, is replaced or is changed, and its progress.
 *
 * @param nid the NID of the pod's storage peer or super-peer, empty when it has none
 * @param message a message for people: what the stop waits for, or what they can do
 */
public record Stop(String pod, String nid, Reason reason, Phase phase, String message) {
    /** Why the pod stops. */
    public enum Reason {
        /** There should be fewer pods. */
        SCALE_IN("ScaleIn"),
        /** There is a newer template. */
        UPDATE("Update"),
        /** The pod's Kubernetes node is cordoned. */
        NODE_CORDONED("NodeCordoned"),
        /** A person has asked for the stop. */
        REQUESTED("Requested");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** As it stands in a status. */
        public String text() {
            return text;
        }
    }

    /** The progress of the stop. */
    public enum Phase {
        /** Another pod stops first. */
        WAITING("Waiting"),
        /** The pod's chunks and copies are moving to other storage peers. */
        DRAINING("Draining"),
        /** The pod stays, and is changed while it runs. */
        GROWING("Growing"),
        /** The pod owns nothing and may go. */
        RELEASED("Released"),
        /** The stop cannot go on without a person's help. */
        BLOCKED("Blocked");

        private final String text;

        Phase(String text) {
            this.text = text;
        }

        /** As it stands in a status. */
        public String text() {
            return text;
        }
    }
}
