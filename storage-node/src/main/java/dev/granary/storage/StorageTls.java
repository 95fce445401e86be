package dev.granary.storage;

import dev.granary.env.Clock;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsException;
import dev.granary.net.tls.TlsSettings;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.process.NodeTls;
import dev.granary.process.config.ConfigException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** TLS of a storage peer, as its configuration asks for it. */
final class StorageTls {

    private StorageTls() {}

    /**
     * Reads the files; null when there is to be no TLS.
     *
     * @throws ConfigException naming the file that cannot be used
     */
    static @Nullable TlsContexts open(@Nullable NodeTls config, Clock clock) {
        if (config == null) {
            return null;
        }
        try {
            return TlsContexts.open(
                    new TlsSettings(
                            config.certificate(),
                            config.key(),
                            config.ca(),
                            TlsSettings.crl(config.ca(), config.crl()),
                            asked(config.clients())),
                    clock);
        } catch (TlsException e) {
            throw new ConfigException(List.of("tls: " + e.getMessage()));
        }
    }

    static ClientAuthentication asked(NodeTls.Clients clients) {
        return switch (clients) {
            case REQUIRED -> ClientAuthentication.REQUIRED;
            case OPTIONAL -> ClientAuthentication.OPTIONAL;
            case NONE -> ClientAuthentication.NONE;
        };
    }
}
