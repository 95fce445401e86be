package dev.granary.storage;

import dev.granary.process.config.ConfigGuide;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GuideTest {

    @Test
    void configurationGuide_storageNode_matchesTheKeys() throws IOException {
        ConfigGuide.check(Path.of("..", "docs", "guides", "configuration.md"), "storage-node", StorageKeys.schema());
    }
}
