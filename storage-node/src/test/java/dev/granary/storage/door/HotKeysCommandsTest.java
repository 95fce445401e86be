package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.SlotGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code HOTKEYS} as Redis 8.6 answers it; clients read the reply field by field. */
class HotKeysCommandsTest {

    private OpenDoor door;
    private RespClient client;

    @BeforeEach
    void open() throws Exception {
        door = new OpenDoor();
        client = door.client();
    }

    @AfterEach
    void close() throws Exception {
        door.close();
    }

    @Test
    void get_afterRequests_tellsTheHottestKeysFirst() throws Exception {
        assertThat(client.words("HOTKEYS GET")).isEqualTo("nil");
        assertThat(client.words("HOTKEYS START METRICS 2 CPU NET")).isEqualTo("+OK");
        client.words("SET a 1");
        client.words("GET b");
        client.words("GET b");
        assertThat(client.words("HOTKEYS STOP")).isEqualTo("+OK");
        client.words("GET a");
        assertThat(client.words("HOTKEYS GET"))
                .matches("\\[\\['tracking-active' :0 'sample-ratio' :1 'selected-slots' \\[\\[:0 :16383]]"
                        + " 'all-commands-all-slots-us' :6 'net-bytes-all-commands-all-slots' :300"
                        + " 'collection-start-time-unix-ms' :\\d{13} 'collection-duration-ms' :\\d+"
                        + " 'total-cpu-time-user-ms' :0 'total-cpu-time-sys-ms' :0 'total-net-bytes' :300"
                        + " 'by-cpu-time-us' \\['b' :4 'a' :2] 'by-net-bytes' \\['b' :200 'a' :100]]]");
        assertThat(client.words("HOTKEYS RESET")).isEqualTo("+OK");
        assertThat(client.words("HOTKEYS GET")).isEqualTo("nil");
    }

    @Test
    void get_oneMetricInResp3_isAMapWithItsFieldsAlone() throws Exception {
        client.words("HELLO 3");
        client.words("HOTKEYS START METRICS 1 NET COUNT 1");
        client.words("MSET {t}a 1 {t}b 2");
        client.words("GET {t}b");
        assertThat(client.words("HOTKEYS GET"))
                .startsWith("[{'tracking-active': :1, ")
                .endsWith("'total-net-bytes': :200, 'by-net-bytes': ['{t}b' :150]}]")
                .doesNotContain("cpu");
    }

    @Test
    void get_selectedSlots_areSortedIntoRanges() throws Exception {
        assertThat(client.words("HOTKEYS START METRICS 2 GPU CPU SAMPLE 2 SLOTS 6 10 5 1 0 6 2"))
                .isEqualTo("+OK");
        assertThat(client.words("HOTKEYS GET"))
                .contains("'selected-slots' [[:0 :2] [:5 :6] [:10]] 'sampled-commands-selected-slots-us' :0"
                        + " 'all-commands-selected-slots-us' :0 'all-commands-all-slots-us' :0"
                        + " 'net-bytes-sampled-commands-selected-slots' :0"
                        + " 'net-bytes-all-commands-selected-slots' :0");
    }

    @Test
    void slots_ofAnotherPeer_areNotItsOwn() throws Exception {
        door.peer().owner(1, 0x4000);
        assertThat(client.words("HOTKEYS START METRICS 1 CPU SLOTS 1 " + SlotGroup.firstSlot(1)))
                .isEqualTo("-ERR slot 64 not handled by this node");
        client.words("HOTKEYS START METRICS 1 CPU");
        assertThat(client.words("HOTKEYS GET")).contains("'selected-slots' [[:0 :63] [:128 :16383]]");
    }

    @Test
    void states_wrongOrder_areErrors() throws Exception {
        assertThat(client.words("HOTKEYS STOP")).startsWith("-ERR no hotkey tracking session is in progress");
        assertThat(client.words("HOTKEYS RESET")).isEqualTo("+OK");
        client.words("HOTKEYS START METRICS 1 CPU");
        assertThat(client.words("HOTKEYS START METRICS 1 NET"))
                .isEqualTo("-ERR hotkey tracking session already in progress");
        assertThat(client.words("HOTKEYS RESET"))
                .isEqualTo("-ERR hotkey tracking session in progress, stop tracking first");
    }

    @Test
    void start_withADuration_endsByItself() throws Exception {
        client.words("HOTKEYS START METRICS 1 CPU DURATION 1");
        assertThat(client.words("HOTKEYS GET")).contains("'tracking-active' :1");
        Thread.sleep(1_100);
        assertThat(client.words("HOTKEYS GET")).contains("'tracking-active' :0", "'collection-duration-ms' :1000");
    }

    @ParameterizedTest
    @CsvSource({
        "'', METRICS parameter is required",
        "CPU, METRICS parameter is required",
        "METRICS, METRICS count",
        "METRICS 0, METRICS count",
        "METRICS -1, METRICS count",
        "METRICS 3 CPU NET, METRICS count",
        "METRICS 2 CPU, METRICS count does not match number of metric types provided",
        "METRICS 1 CPU NET, syntax error",
        "METRICS 1 GPU, METRICS no valid metrics",
        "METRICS 2 CPU CPU, METRICS CPU",
        "METRICS 2 NET NET, METRICS NET",
        "METRICS 1 CPU COUNT 0, COUNT must be between 1 and 64",
        "METRICS 1 CPU COUNT 65, COUNT must be between 1 and 64",
        "METRICS 1 CPU COUNT, COUNT must be between 1 and 64",
        "METRICS 1 CPU DURATION -1, DURATION must be",
        "METRICS 1 CPU SAMPLE 0, SAMPLE ratio must be positive",
        "METRICS 1 CPU SAMPLE x, SAMPLE ratio must be positive",
        "METRICS 1 CPU SLOTS, SLOTS count",
        "METRICS 1 CPU SLOTS 2 0, not enough slot numbers provided",
        "METRICS 1 CPU SLOTS 2 0 0, duplicate slot number",
        "METRICS 1 CPU SLOTS 1 0 SLOTS 1 5, SLOTS parameter already specified",
        "METRICS 1 CPU SLOTS 1 -1, Invalid or out of range slot",
        "METRICS 1 CPU SLOTS 1 16384, Invalid or out of range slot",
        "METRICS 1 CPU SLOTS 1 abc, Invalid or out of range slot",
    })
    void start_argumentsThatMakeNoSense_isAnErrorAndBeginsNothing(String arguments, String error) throws Exception {
        assertThat(client.words(("HOTKEYS START " + arguments).strip())).startsWith("-ERR " + error);
        assertThat(client.words("HOTKEYS GET")).isEqualTo("nil");
    }

    @Test
    void command_info_listsTheSubcommands() throws Exception {
        assertThat(client.words("COMMAND DOCS hotkeys")).contains("'hotkeys|start'", "'METRICS'", "'8.6.0'");
        assertThat(client.words("HOTKEYS HELP")).contains("START METRICS <count>");
    }
}
