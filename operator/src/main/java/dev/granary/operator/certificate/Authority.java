package dev.granary.operator.certificate;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CRLConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A CA: a certificate that signs others, and its key. Keys are of P-256, signatures ECDSA with SHA-256. Immutable.
 *
 * @param certificate signed by itself
 * @param key its private key
 */
public record Authority(X509Certificate certificate, PrivateKey key) {
    /** How long before its making a certificate is valid: clocks of machines differ. */
    private static final Duration BEFORE = Duration.ofMinutes(5);

    private static final int SERIAL_BITS = 128;
    private static final String SIGNATURE = "SHA256withECDSA";

    /** A certificate and its key. */
    public record Issued(X509Certificate certificate, PrivateKey key) {
        /** Without the key. */
        @Override
        public String toString() {
            return certificate.getSubjectX500Principal().getName();
        }
    }

    /** Without the key. */
    @Override
    public String toString() {
        return certificate.getSubjectX500Principal().getName();
    }

    /**
     * Makes a CA. No two have the same name: who verifies would try the wrong key.
     *
     * @param cluster its cluster, for people
     */
    public static Authority make(String cluster, Instant now, Duration lifetime, SecureRandom random) {
        KeyPair pair = newPair(random);
        BigInteger serial = newSerial(random);
        String mark = HexFormat.of().formatHex(serial.toByteArray()).substring(0, 8);
        X500Principal name = new X500Principal("CN=Granary CA " + mark + ",O=" + cluster);
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name, serial, date(now.minus(BEFORE)), date(now.plus(lifetime)), name, pair.getPublic());
            // It signs processes, and no other CAs.
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
            return new Authority(signed(builder, pair.getPrivate(), random), pair.getPrivate());
        } catch (CertIOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("no CA can be made", e);
        }
    }

    /** Issues the certificate of a role, with a key of its own. It does not outlive this CA. */
    public Issued issue(Identity identity, Instant now, Duration lifetime, SecureRandom random) {
        KeyPair pair = newPair(random);
        Instant end = now.plus(lifetime);
        Instant last = certificate.getNotAfter().toInstant();
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    certificate,
                    newSerial(random),
                    date(now.minus(BEFORE)),
                    date(end.isBefore(last) ? end : last),
                    new X500Principal(identity.subject()),
                    pair.getPublic());
            extend(builder, identity, pair.getPublic());
            return new Issued(signed(builder, key, random), pair.getPrivate());
        } catch (CertIOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("no certificate can be issued for " + identity.subject(), e);
        }
    }

    private void extend(X509v3CertificateBuilder builder, Identity identity, PublicKey owner)
            throws CertIOException, GeneralSecurityException {
        JcaX509ExtensionUtils keys = new JcaX509ExtensionUtils();
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        // Nodes call and are called.
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
            KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
        }));
        builder.addExtension(Extension.subjectKeyIdentifier, false, keys.createSubjectKeyIdentifier(owner));
        builder.addExtension(Extension.authorityKeyIdentifier, false, keys.createAuthorityKeyIdentifier(certificate));
        List<GeneralName> names = identity.alternativeNames().stream()
                .map(name -> new GeneralName(name.kind(), name.text()))
                .toList();
        builder.addExtension(
                Extension.subjectAlternativeName, false, new GeneralNames(names.toArray(GeneralName[]::new)));
    }

    /** Makes a list of certificates that are revoked. */
    X509CRL revoke(Set<BigInteger> serials, Instant now, Duration lifetime, SecureRandom random) {
        try {
            X509v2CRLBuilder builder = new JcaX509v2CRLBuilder(certificate, date(now.minus(BEFORE)));
            builder.setNextUpdate(date(now.plus(lifetime)));
            new TreeSet<>(serials)
                    .forEach(serial -> builder.addCRLEntry(serial, date(now.minus(BEFORE)), CRLReason.unspecified));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certificate));
            // Each list has a higher number than those before it.
            builder.addExtension(Extension.cRLNumber, false, new CRLNumber(BigInteger.valueOf(now.toEpochMilli())));
            return new JcaX509CRLConverter()
                    .getCRL(builder.build(new JcaContentSignerBuilder(SIGNATURE)
                            .setSecureRandom(random)
                            .build(key)));
        } catch (CertIOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("no revocation list can be made", e);
        }
    }

    /** Whether a certificate is signed by this CA. */
    public boolean hasIssued(X509Certificate other) {
        try {
            other.verify(certificate.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key, SecureRandom random)
            throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE)
                        .setSecureRandom(random)
                        .build(key)));
    }

    private static KeyPair newPair(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK makes no keys of P-256", e);
        }
    }

    private static BigInteger newSerial(SecureRandom random) {
        // The highest bit makes all serial numbers equally long, and positive.
        return new BigInteger(SERIAL_BITS - 1, random).setBit(SERIAL_BITS - 2);
    }

    private static Date date(Instant instant) {
        return Date.from(instant);
    }
}
