package dev.granary.net.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads certificates and private keys out of PEM (RFC 7468). Keys may have the form PKCS #8, or the older ones of
 * OpenSSL for RSA (PKCS #1) and EC (SEC 1), which cert-manager writes unless it is told otherwise.
 */
final class PemText {

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s*([A-Za-z0-9+/=\\s]+?)-----END \\1-----");

    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PLAIN_KEY = "PRIVATE KEY";
    private static final String ENCRYPTED_KEY = "ENCRYPTED PRIVATE KEY";
    private static final Set<String> OLD_KEYS = Set.of("RSA PRIVATE KEY", "EC PRIVATE KEY");

    private static final int DER_SEQUENCE = 0x30;
    private static final int DER_OCTETS = 0x04;
    private static final byte[] DER_ZERO = {0x02, 0x01, 0x00};

    private PemText() {}

    /** Returns the certificates of a text in their order, at least one. */
    static List<X509Certificate> certificates(String text, String what, Path file) throws TlsException {
        List<X509Certificate> found = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals(CERTIFICATE)) {
                found.add(certificate(decode(blocks.group(2), what, file), what, file));
            }
        }
        if (found.isEmpty()) {
            throw new TlsException(what + " " + file + " is not PEM: it has no -----BEGIN CERTIFICATE-----");
        }
        return found;
    }

    private static X509Certificate certificate(byte[] der, String what, Path file) throws TlsException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw new TlsException(what + " " + file + " has a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the private key of a text.
     *
     * @param owner the public key that it belongs to, which says of what kind it is
     */
    static PrivateKey privateKey(String text, PublicKey owner, String what, Path file) throws TlsException {
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            String kind = blocks.group(1);
            if (kind.equals(ENCRYPTED_KEY)) {
                throw new TlsException(what + " " + file + " has a password: give a key without one");
            }
            boolean old = OLD_KEYS.contains(kind);
            if (!old && !kind.equals(PLAIN_KEY)) {
                // Parameters of a curve, or the certificate of the same file.
                continue;
            }
            byte[] der = decode(blocks.group(2), what, file);
            try {
                return KeyFactory.getInstance(owner.getAlgorithm())
                        .generatePrivate(new PKCS8EncodedKeySpec(old ? wrapped(der, owner) : der));
            } catch (GeneralSecurityException e) {
                throw new TlsException(
                        what + " " + file + " has no " + owner.getAlgorithm() + " key, as the certificate does: "
                                + e.getMessage(),
                        e);
            }
        }
        throw new TlsException(what + " " + file + " is not PEM: it has no -----BEGIN PRIVATE KEY-----");
    }

    private static byte[] decode(String base64, String what, Path file) throws TlsException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new TlsException(what + " " + file + " is not PEM: " + e.getMessage(), e);
        }
    }

    /**
     * Returns an old key as PKCS #8: version 0, the algorithm with its parameters, and the old form as octets (RFC 5208
     * section 5). The algorithm is written in the public key already.
     */
    private static byte[] wrapped(byte[] old, PublicKey owner) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(DER_ZERO);
        body.writeBytes(firstOf(owner.getEncoded()));
        body.writeBytes(der(DER_OCTETS, old));
        return der(DER_SEQUENCE, body.toByteArray());
    }

    /** Returns the first element of a sequence, with its header. */
    private static byte[] firstOf(byte[] sequence) {
        int start = contentAt(sequence, 0);
        int content = contentAt(sequence, start);
        int end = content + lengthAt(sequence, start);
        byte[] element = new byte[end - start];
        System.arraycopy(sequence, start, element, 0, element.length);
        return element;
    }

    private static int contentAt(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
    }

    private static int lengthAt(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        if (first < 0x80) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < (first & 0x7f); i++) {
            length = (length << 8) | (der[at + 2 + i] & 0xff);
        }
        return length;
    }

    private static byte[] der(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            int bytes = content.length > 0xffff ? 3 : content.length > 0xff ? 2 : 1;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                out.write(content.length >> (8 * i));
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
