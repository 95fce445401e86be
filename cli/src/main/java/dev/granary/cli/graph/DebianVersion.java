package dev.granary.cli.graph;

/**
 * The order of Debian version numbers: {@code [epoch:]upstream[-revision]}, by the Debian Policy Manual, section
 * 5.6.12. Epochs compare as numbers. Upstream and revision compare in alternating runs: a run of non-digits (a tilde
 * sorts before the end, the end before letters, letters before all else), then a run of digits (a number of any
 * length).
 */
final class DebianVersion {

    private DebianVersion() {}

    static int compare(String left, String right) {
        int leftColon = left.indexOf(':');
        int rightColon = right.indexOf(':');
        int byEpoch = compareDigits(epoch(left, leftColon), epoch(right, rightColon));
        if (byEpoch != 0) {
            return byEpoch;
        }
        String leftRest = left.substring(leftColon + 1);
        String rightRest = right.substring(rightColon + 1);
        int leftDash = leftRest.lastIndexOf('-');
        int rightDash = rightRest.lastIndexOf('-');
        int byUpstream = compareParts(upstream(leftRest, leftDash), upstream(rightRest, rightDash));
        // A missing revision is an empty revision, which equals 0.
        return byUpstream != 0
                ? byUpstream
                : compareParts(revision(leftRest, leftDash), revision(rightRest, rightDash));
    }

    private static String epoch(String version, int colon) {
        return colon < 0 ? "" : version.substring(0, colon);
    }

    private static String upstream(String rest, int dash) {
        return dash < 0 ? rest : rest.substring(0, dash);
    }

    private static String revision(String rest, int dash) {
        return dash < 0 ? "" : rest.substring(dash + 1);
    }

    private static int compareParts(String left, String right) {
        int l = 0;
        int r = 0;
        while (l < left.length() || r < right.length()) {
            while (isNonDigit(left, l) || isNonDigit(right, r)) {
                int difference = Integer.compare(weight(left, l), weight(right, r));
                if (difference != 0) {
                    return difference;
                }
                l++;
                r++;
            }
            int leftEnd = endOfDigits(left, l);
            int rightEnd = endOfDigits(right, r);
            int difference = compareDigits(left.substring(l, leftEnd), right.substring(r, rightEnd));
            if (difference != 0) {
                return difference;
            }
            l = leftEnd;
            r = rightEnd;
        }
        return 0;
    }

    private static boolean isNonDigit(String part, int index) {
        return index < part.length() && !isDigit(part.charAt(index));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** The weight of a character. A digit weighs as much as the end: both end the run of non-digits. */
    private static int weight(String part, int index) {
        if (index >= part.length() || isDigit(part.charAt(index))) {
            return 0;
        }
        char c = part.charAt(index);
        if (c == '~') {
            return -1;
        }
        boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return letter ? c : c + 256;
    }

    private static int endOfDigits(String part, int from) {
        int index = Math.min(from, part.length());
        while (index < part.length() && isDigit(part.charAt(index))) {
            index++;
        }
        return index;
    }

    /** Compares digits as numbers of any length; the empty string is 0. */
    private static int compareDigits(String left, String right) {
        String l = withoutLeadingZeros(left);
        String r = withoutLeadingZeros(right);
        return l.length() != r.length() ? Integer.compare(l.length(), r.length()) : l.compareTo(r);
    }

    private static String withoutLeadingZeros(String digits) {
        int index = 0;
        while (index < digits.length() && digits.charAt(index) == '0') {
            index++;
        }
        return digits.substring(index);
    }
}
