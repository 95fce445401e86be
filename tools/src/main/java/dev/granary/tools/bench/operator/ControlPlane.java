package dev.granary.tools.bench.operator;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * etcd and an API server without the rest of Kubernetes, with all files in one folder. Tokens identify the clients; the
 * server writes the operator's requests to its audit log.
 */
final class ControlPlane implements AutoCloseable {
    /** The user whose requests are counted. */
    static final String OPERATOR = "operator";

    private static final String BENCH_TOKEN = "bench";
    private static final String OPERATOR_TOKEN = "operator";
    private static final int START_SECONDS = 120;

    private static final String AUDIT_POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived, ResponseStarted]
            rules:
              - {level: Metadata, users: [%s]}
              - {level: None}
            """.formatted(OPERATOR);

    private final Path folder;
    private final Process etcd;
    private final Process server;
    private final Api api;
    private final String url;

    private ControlPlane(Path folder, Process etcd, Process server, Api api, String url) {
        this.folder = folder;
        this.etcd = etcd;
        this.server = server;
        this.api = api;
        this.url = url;
    }

    /**
     * Starts both and waits until they answer.
     *
     * @param binaries folder with {@code etcd} and {@code kube-apiserver}
     * @param folder an empty folder for all their files
     */
    static ControlPlane start(Path binaries, Path folder)
            throws IOException, InterruptedException, GeneralSecurityException {
        int client = freePort();
        String etcdUrl = "http://127.0.0.1:" + client;
        String peerUrl = "http://127.0.0.1:" + freePort();
        Process etcd = process(
                folder,
                "etcd",
                List.of(
                        binaries.resolve("etcd").toString(),
                        "--data-dir=" + folder.resolve("etcd"),
                        "--unsafe-no-fsync",
                        "--log-level=warn",
                        "--listen-client-urls=" + etcdUrl,
                        "--advertise-client-urls=" + etcdUrl,
                        "--listen-peer-urls=" + peerUrl,
                        "--initial-advertise-peer-urls=" + peerUrl,
                        "--initial-cluster=default=" + peerUrl));
        int port = freePort();
        writeSettings(folder);
        Process server = process(folder, "kube-apiserver", apiServer(binaries, folder, etcdUrl, port));
        String url = "https://127.0.0.1:" + port;
        ControlPlane plane = null;
        try {
            Path certificate = folder.resolve("pki/apiserver.crt");
            Waiting.until("the API server has a certificate", START_SECONDS, () -> Files.exists(certificate));
            Api api = new Api(url, BENCH_TOKEN, trust(certificate));
            plane = new ControlPlane(folder, etcd, server, api, url);
            Waiting.until("the API server is ready (its log: " + folder + ")", START_SECONDS, api::isReady);
            return plane;
        } catch (IOException | InterruptedException | GeneralSecurityException | RuntimeException e) {
            if (plane == null) {
                end(server);
                end(etcd);
            } else {
                plane.close();
            }
            throw e;
        }
    }

    private static List<String> apiServer(Path binaries, Path folder, String etcdUrl, int port) {
        return List.of(
                binaries.resolve("kube-apiserver").toString(),
                "--etcd-servers=" + etcdUrl,
                "--secure-port=" + port,
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                "--cert-dir=" + folder.resolve("pki"),
                "--service-cluster-ip-range=10.0.0.0/16",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-signing-key-file=" + folder.resolve("service-account.key"),
                "--service-account-key-file=" + folder.resolve("service-account.key"),
                "--authorization-mode=RBAC",
                "--token-auth-file=" + folder.resolve("tokens.csv"),
                // No controller makes tokens of service accounts here, so pods cannot have one.
                "--disable-admission-plugins=ServiceAccount",
                "--audit-policy-file=" + folder.resolve("audit-policy.yaml"),
                "--audit-log-path=" + folder.resolve("audit.log"),
                "--audit-log-maxsize=10000");
    }

    private static void writeSettings(Path folder) throws IOException, GeneralSecurityException {
        Files.writeString(
                folder.resolve("tokens.csv"),
                BENCH_TOKEN + ",bench,1,system:masters\n" + OPERATOR_TOKEN + "," + OPERATOR + ",2,system:masters\n");
        Files.writeString(folder.resolve("audit-policy.yaml"), AUDIT_POLICY);
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        String key = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(generator.generateKeyPair().getPrivate().getEncoded());
        Files.writeString(
                folder.resolve("service-account.key"),
                "-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\n");
    }

    /** Returns a context that trusts only the certificate that the server made for itself. */
    private static SSLContext trust(Path certificates) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        try (InputStream in = Files.newInputStream(certificates)) {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("server-" + number++, certificate);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), new SecureRandom());
        return context;
    }

    Api api() {
        return api;
    }

    /** The audit log with the operator's requests. */
    AuditLog auditLog() {
        return new AuditLog(folder.resolve("audit.log"));
    }

    /** Writes a kubeconfig for the operator. */
    Path operatorKubeconfig() throws IOException {
        return kubeconfig("operator.kubeconfig", OPERATOR_TOKEN);
    }

    /** Writes a kubeconfig for helpers of the benchmark, whose requests are not counted. */
    Path benchKubeconfig() throws IOException {
        return kubeconfig("bench.kubeconfig", BENCH_TOKEN);
    }

    private Path kubeconfig(String name, String token) throws IOException {
        return Files.writeString(folder.resolve(name), """
                apiVersion: v1
                kind: Config
                current-context: bench
                clusters: [{name: bench, cluster: {server: "%s", certificate-authority: "%s"}}]
                users: [{name: user, user: {token: %s}}]
                contexts: [{name: bench, context: {cluster: bench, user: user}}]
                """.formatted(url, folder.resolve("pki/apiserver.crt"), token));
    }

    @Override
    public void close() {
        api.close();
        end(server);
        end(etcd);
    }

    static void end(Process process) {
        end(process, 10);
    }

    /** @param patienceSeconds how long the program may take to end by itself */
    static void end(Process process, int patienceSeconds) {
        process.destroy();
        try {
            if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Checks that all programs exist before anything is made. */
    static void requirePrograms(Path binaries, boolean withNodes) {
        List<String> needed = withNodes ? List.of("etcd", "kube-apiserver", "kwok") : List.of("etcd", "kube-apiserver");
        for (String name : needed) {
            if (!Files.isExecutable(binaries.resolve(name))) {
                throw new UserException(binaries.resolve(name) + " is missing: 'e2e/kubernetes/cluster/build "
                        + (name.equals("kwok") ? "kwok" : "cluster") + "' makes it");
            }
        }
    }

    static Process process(Path folder, String name, List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
