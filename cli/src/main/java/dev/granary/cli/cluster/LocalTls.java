package dev.granary.cli.cluster;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A CA of a local cluster, and the certificates of its nodes and clients, as files. They are made by the keytool of the
 * running JDK, so that no library is needed for what is done once (ADR 0328).
 */
public final class LocalTls {

    private static final String DIRECTORY = "tls";
    private static final String CA = "ca";
    private static final String CLIENT = "client";

    /** Whoever made this CA can make another one: there is nothing to renew. */
    private static final int VALID_DAYS = 3650;

    private static final int PASSWORD_BYTES = 16;
    private static final int KEYTOOL_SECONDS = 60;
    private static final int LINE = 64;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private LocalTls() {}

    /** Returns whether the cluster of a directory has TLS. */
    public static boolean exists(Path cluster) {
        return Files.exists(clientDirectory(cluster).resolve("ca.crt"));
    }

    /** Where clients of a cluster have {@code tls.crt}, {@code tls.key} and {@code ca.crt}. */
    public static Path clientDirectory(Path cluster) {
        return directory(cluster, CLIENT);
    }

    /** The same of the nodes of a role. */
    static Path directory(Path cluster, String role) {
        return cluster.resolve(DIRECTORY).resolve(role);
    }

    /**
     * Makes a CA, and certificates for the nodes of each role and for clients. Does nothing when they are there.
     *
     * @param cluster the directory of the cluster
     * @throws UserException when keytool is missing, or fails
     */
    public static void make(Path cluster) {
        if (exists(cluster)) {
            return;
        }
        Path base = cluster.resolve(DIRECTORY);
        try {
            Files.createDirectories(cluster);
            if (!Files.exists(base)) {
                Files.createDirectory(base, OWNER_ONLY);
            }
            Path store = Files.createTempFile(base, "made", ".p12");
            Files.delete(store);
            try {
                fill(base, store);
            } finally {
                Files.deleteIfExists(store);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new UserException("certificates cannot be made under " + base + ": " + e.getMessage(), e);
        }
    }

    private static void fill(Path base, Path store) throws IOException, GeneralSecurityException {
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        keytool(store, password, CA, "CN=Granary local CA", List.of("-ext", "bc:critical=ca:true,pathlen:0"));
        issue(store, password, LocalCluster.STORAGE_NODE, "storage");
        issue(store, password, LocalCluster.SUPER_PEER, "super-peer");
        issue(store, password, CLIENT, "client");
        KeyStore made = KeyStore.getInstance(store.toFile(), password.toCharArray());
        // The directory of clients is the last: it says that all are there.
        for (String role : List.of(LocalCluster.STORAGE_NODE, LocalCluster.SUPER_PEER, CLIENT)) {
            Path directory = Files.createDirectories(base.resolve(role));
            write(
                    directory.resolve("tls.crt"),
                    "CERTIFICATE",
                    made.getCertificate(role).getEncoded());
            Key key = made.getKey(role, password.toCharArray());
            write(directory.resolve("tls.key"), "PRIVATE KEY", key.getEncoded());
            Certificate ca = made.getCertificate(CA);
            write(directory.resolve("ca.crt"), "CERTIFICATE", ca.getEncoded());
        }
    }

    private static void issue(Path store, String password, String alias, String role) throws IOException {
        keytool(
                store,
                password,
                alias,
                "CN=" + alias,
                List.of(
                        "-signer",
                        CA,
                        "-ext",
                        "san=uri:spiffe://granary.local/granary/local/" + role + ",dns:localhost,ip:127.0.0.1",
                        "-ext",
                        "eku=serverAuth,clientAuth"));
    }

    /** Makes a pair of keys with a certificate. */
    private static void keytool(Path store, String password, String alias, String subject, List<String> more)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                // It runs for a moment, in which C2 and more threads of a collector would not pay for themselves.
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                subject,
                "-validity",
                Integer.toString(VALID_DAYS)));
        command.addAll(more);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (OutputStream in = process.getOutputStream()) {
            // Asked for twice when the store is new. Not an argument, which others on the machine could see.
            in.write((password + "\n" + password + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("keytool has failed: " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void write(Path file, String kind, byte[] der) throws IOException {
        String base64 = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(der);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }
}
