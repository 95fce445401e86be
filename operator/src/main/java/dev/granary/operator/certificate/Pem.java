package dev.granary.operator.certificate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CRLException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.bouncycastle.util.io.pem.PemWriter;

/** Certificates and keys as PEM, and back. */
public final class Pem {
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String LIST = "X509 CRL";
    private static final String PRIVATE_KEY = "PRIVATE KEY";

    private Pem() {}

    /** Returns the bytes of something. */
    private interface Encoding<T> {
        byte[] of(T object) throws GeneralSecurityException;
    }

    /** Returns certificates, one after the other. */
    public static String of(List<X509Certificate> certificates) {
        return written(CERTIFICATE, certificates, X509Certificate::getEncoded);
    }

    /** Returns a key in the form of PKCS #8. */
    public static String of(PrivateKey key) {
        return written(PRIVATE_KEY, List.of(key), PrivateKey::getEncoded);
    }

    /** Returns revocation lists, one after the other. */
    static String ofLists(List<X509CRL> lists) {
        return written(LIST, lists, X509CRL::getEncoded);
    }

    private static <T> String written(String type, List<T> objects, Encoding<T> encoding) {
        try (StringWriter text = new StringWriter();
                PemWriter writer = new PemWriter(text)) {
            for (T object : objects) {
                writer.writeObject(new PemObject(type, encoding.of(object)));
            }
            writer.flush();
            return text.toString();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("a " + type + " cannot be written as PEM", e);
        }
    }

    /** Returns the revocation lists of a text; none when it cannot be read. */
    static List<X509CRL> lists(String text) {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCRLs(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)))
                    .stream()
                    .map(X509CRL.class::cast)
                    .toList();
        } catch (CertificateException | CRLException e) {
            return List.of();
        }
    }

    /**
     * Returns the certificates of a text, in their order.
     *
     * @throws IllegalArgumentException when it is no PEM, or has none
     */
    public static List<X509Certificate> certificates(String text) {
        try {
            List<X509Certificate> found = new ArrayList<>();
            for (Certificate certificate : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)))) {
                found.add((X509Certificate) certificate);
            }
            if (found.isEmpty()) {
                throw new IllegalArgumentException("there is no certificate");
            }
            return List.copyOf(found);
        } catch (CertificateException e) {
            throw new IllegalArgumentException("the certificates cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the EC key that {@link #of(PrivateKey)} has written.
     *
     * @throws IllegalArgumentException when it is something else
     */
    static PrivateKey key(String text) {
        try (PemReader reader = new PemReader(new StringReader(text))) {
            PemObject read = reader.readPemObject();
            if (read == null || !PRIVATE_KEY.equals(read.getType())) {
                throw new IllegalArgumentException("there is no private key in the form of PKCS #8");
            }
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(read.getContent()));
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the private key cannot be read", e);
        }
    }
}
