package dev.granary.process;

import static dev.granary.process.config.ConfigKey.optional;
import static dev.granary.process.config.ConfigKey.withDefault;

import dev.granary.process.NodeTls.Clients;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigTypes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The configuration keys of TLS, which both kinds of nodes have. */
final class TlsKeys {

    private static final ConfigKey<Path> DIRECTORY = optional(
            "tls.directory",
            ConfigTypes.path(),
            "no TLS",
            "Directory of tls.crt, tls.key and ca.crt, PEM files, which turns TLS on. They are read again when they"
                    + " change, so a directory is mounted as a whole.");
    private static final ConfigKey<Path> CERTIFICATE = optional(
            "tls.certificate",
            ConfigTypes.path(),
            "tls.crt in tls.directory",
            "File of this node's certificate and of those between it and the CA.");
    private static final ConfigKey<Path> KEY = optional(
            "tls.key",
            ConfigTypes.path(),
            "tls.key in tls.directory",
            "File of the certificate's private key, without a password.");
    private static final ConfigKey<Path> CA = optional(
            "tls.ca",
            ConfigTypes.path(),
            "ca.crt in tls.directory",
            "File of the CAs that this node trusts, one or more.");
    private static final ConfigKey<Path> CRL = optional(
            "tls.crl",
            ConfigTypes.path(),
            "crl.pem beside tls.ca, if there is one",
            "File of the CAs' revocation lists. Whose certificate is on one is refused, and its connections are closed.");
    private static final ConfigKey<Clients> CLIENTS = withDefault(
            "tls.client.authentication",
            ConfigTypes.choice(Clients.class),
            "required",
            "Whether clients must show a certificate of the CA. Nodes must in any case; with none, as with optional,"
                    + " the binary protocol's port asks for one.");

    private TlsKeys() {}

    static List<ConfigKey<?>> all() {
        return List.of(DIRECTORY, CERTIFICATE, KEY, CA, CRL, CLIENTS);
    }

    /**
     * Returns where the files are, or null when there is to be no TLS.
     *
     * @throws ConfigException when some files are named and others not
     */
    static @Nullable NodeTls read(Config config) {
        Path directory = config.find(DIRECTORY).orElse(null);
        Path certificate = file(config, CERTIFICATE, directory, "tls.crt");
        Path key = file(config, KEY, directory, "tls.key");
        Path ca = file(config, CA, directory, "ca.crt");
        if (certificate == null && key == null && ca == null) {
            return null;
        }
        if (certificate == null || key == null || ca == null) {
            List<String> errors = new ArrayList<>();
            missing(errors, CERTIFICATE, certificate);
            missing(errors, KEY, key);
            missing(errors, CA, ca);
            throw new ConfigException(errors);
        }
        return new NodeTls(certificate, key, ca, config.find(CRL).orElse(null), config.get(CLIENTS));
    }

    private static @Nullable Path file(Config config, ConfigKey<Path> key, @Nullable Path directory, String usualName) {
        return config.find(key).orElse(directory == null ? null : directory.resolve(usualName));
    }

    private static void missing(List<String> errors, ConfigKey<Path> key, @Nullable Path file) {
        if (file == null) {
            errors.add(key.name() + ": must be set when other files of TLS are, or tls.directory");
        }
    }
}
