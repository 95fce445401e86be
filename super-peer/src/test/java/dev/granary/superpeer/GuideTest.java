package dev.granary.superpeer;

import dev.granary.process.config.ConfigGuide;
import dev.granary.superpeer.node.SuperPeerKeys;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GuideTest {

    @Test
    void configurationGuide_superPeer_matchesTheKeys() throws IOException {
        ConfigGuide.check(
                Path.of("..", "docs", "guides", "configuration.md"), "super-peer", new SuperPeerKeys().schema());
    }
}
