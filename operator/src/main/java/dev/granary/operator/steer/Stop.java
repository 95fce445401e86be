package dev.granary.operator.steer;

/**
 * A pod that goes, is replaced or changed, and how far that is.
 *
 * @param nid of its peer, empty when it has none
 * @param message for people: what is waited for, or what they can do
 */
public record Stop(String pod, String nid, Reason reason, Phase phase, String message) {
    /** Why it goes. */
    public enum Reason {
        /** There are to be fewer. */
        SCALE_IN("ScaleIn"),
        /** There is a newer template. */
        UPDATE("Update"),
        /** Its node is cordoned. */
        NODE_CORDONED("NodeCordoned"),
        /** Somebody has asked for it. */
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

    /** How far it is. */
    public enum Phase {
        /** Another one is first. */
        WAITING("Waiting"),
        /** What it has is moving to others. */
        DRAINING("Draining"),
        /** It stays, and is changed while it runs. */
        GROWING("Growing"),
        /** It owns nothing and may go. */
        RELEASED("Released"),
        /** It cannot go on without somebody's help. */
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
