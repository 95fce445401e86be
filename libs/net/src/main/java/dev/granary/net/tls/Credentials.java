package dev.granary.net.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the files of {@link TlsSettings} hold, checked: certificates are in their time, and the key belongs to the
 * certificate. Immutable.
 *
 * @param chain the certificate of this process and those behind it; empty for none
 * @param key its private key, null for none
 * @param authorities the certificates of the CAs that are trusted
 * @param revoked what these have revoked
 */
record Credentials(
        List<X509Certificate> chain,
        @Nullable PrivateKey key,
        List<X509Certificate> authorities,
        RevocationLists revoked) {

    private static final String CERTIFICATE = "the certificate file";
    private static final String KEY = "the key file";
    private static final String CA = "the CA file";
    private static final String CRL = "the revocation file";

    /** Far more than hundreds of certificates. */
    private static final int MAX_FILE_BYTES = 1 << 20;

    private static final byte[] SIGNED = {'G', 'r', 'a', 'n', 'a', 'r', 'y'};

    Credentials {
        chain = List.copyOf(chain);
        authorities = List.copyOf(authorities);
    }

    /** The texts of the files; those that are equal make equal credentials. */
    record Content(
            @Nullable String certificate,
            @Nullable String key,
            String ca,
            @Nullable String crl) {

        /** Without the key. */
        @Override
        public String toString() {
            return "files of TLS";
        }
    }

    /** Reads the files. Blocks. */
    static Content read(TlsSettings settings) throws TlsException {
        Path certificate = settings.certificate();
        Path key = settings.key();
        return new Content(
                certificate == null ? null : read(CERTIFICATE, certificate),
                key == null ? null : read(KEY, key),
                read(CA, settings.ca()),
                readLists(settings.crl()));
    }

    private static @Nullable String readLists(TlsSettings.@Nullable Crl crl) throws TlsException {
        return crl == null || (!crl.required() && Files.notExists(crl.file())) ? null : read(CRL, crl.file());
    }

    private static String read(String what, Path file) throws TlsException {
        try {
            long sizeBytes = Files.size(file);
            if (sizeBytes > MAX_FILE_BYTES) {
                throw new TlsException(what + " " + file + " has " + sizeBytes + " bytes: that is no PEM");
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new TlsException(what + " " + file + " does not exist", e);
        } catch (TlsException e) {
            throw e;
        } catch (IOException e) {
            throw new TlsException(what + " " + file + " cannot be read: " + e, e);
        }
    }

    /** Makes credentials of the files' bytes. */
    static Credentials of(TlsSettings settings, Content content, Instant now) throws TlsException {
        List<X509Certificate> authorities = PemText.certificates(content.ca(), CA, settings.ca());
        if (authorities.stream().allMatch(ca -> now.isAfter(ca.getNotAfter().toInstant()))) {
            throw new TlsException(CA + " " + settings.ca() + " has expired certificates only; the last one is "
                    + described(authorities.getLast()));
        }
        RevocationLists revoked = settings.crl() == null || content.crl() == null
                ? RevocationLists.NONE
                : RevocationLists.of(content.crl(), settings.crl().file(), authorities);
        Path certificateFile = settings.certificate();
        Path keyFile = settings.key();
        if (certificateFile == null || keyFile == null || content.certificate() == null || content.key() == null) {
            return new Credentials(List.of(), null, authorities, revoked);
        }
        List<X509Certificate> chain = PemText.certificates(content.certificate(), CERTIFICATE, certificateFile);
        for (X509Certificate certificate : chain) {
            requireInTime(certificate, certificateFile, now);
        }
        PublicKey owner = chain.getFirst().getPublicKey();
        PrivateKey key = PemText.privateKey(content.key(), owner, KEY, keyFile);
        if (!belongTogether(owner, key)) {
            throw new TlsException(KEY + " " + keyFile + " does not belong to the certificate in " + certificateFile);
        }
        return new Credentials(chain, key, authorities, revoked);
    }

    private static void requireInTime(X509Certificate certificate, Path file, Instant now) throws TlsException {
        if (now.isAfter(certificate.getNotAfter().toInstant())) {
            throw new TlsException(CERTIFICATE + " " + file + " has expired: " + described(certificate));
        }
        if (now.isBefore(certificate.getNotBefore().toInstant())) {
            throw new TlsException(CERTIFICATE + " " + file + " is not valid yet: " + described(certificate));
        }
    }

    private static String described(X509Certificate certificate) {
        return "'%s' is valid from %s to %s"
                .formatted(
                        certificate.getSubjectX500Principal().getName(),
                        certificate.getNotBefore().toInstant(),
                        certificate.getNotAfter().toInstant());
    }

    /** Returns whether what the private key signs is accepted by the public one. */
    private static boolean belongTogether(PublicKey owner, PrivateKey key) {
        String algorithm =
                switch (owner.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> owner.getAlgorithm();
                };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(SIGNED);
            byte[] signed = signature.sign();
            signature.initVerify(owner);
            signature.update(SIGNED);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Returns the time at which the first certificate of the chain expires; null when there is none. */
    @Nullable
    Instant expiry() {
        return chain.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElse(null);
    }
}
