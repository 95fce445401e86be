package dev.granary.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MessageType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The table of roles has every message, and its rows are what the callers of the messages are. */
class RequestRolesTest {

    private static final String BEGIN = "<!-- the table of roles, made from the code -->\n";
    private static final String END = "<!-- end of the table of roles -->\n";
    private static final Set<Role> NODES = Set.of(Role.STORAGE_PEER, Role.SUPER_PEER);

    /** All codes that are declared, control messages and others, by name. */
    private static Map<String, Integer> codes() throws IllegalAccessException {
        Map<String, Integer> codes = new TreeMap<>();
        for (Field field : MessageType.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                continue;
            }
            if (field.getType() == int.class) {
                codes.put(field.getName(), field.getInt(null));
            } else if (field.getType() == MessageType.class) {
                codes.put(field.getName(), ((MessageType<?, ?>) field.get(null)).code());
            }
        }
        return codes;
    }

    private static Set<String> sentBy(Role role) throws IllegalAccessException {
        return codes().entrySet().stream()
                .filter(type -> RequestRoles.of(type.getValue()).contains(role))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    @Test
    void of_everyDeclaredType_hasRoles() throws IllegalAccessException {
        assertThat(codes()).hasSizeGreaterThanOrEqualTo(MessageType.CONTROL.size() + 10);
        assertThat(codes()).allSatisfy((name, code) -> assertThat(RequestRoles.of(code))
                .as("roles of %s: name them in RequestRoles", name)
                .isNotEmpty());
    }

    /** docs/formats/protocol.md has the table; with {@code -Dgranary.docs.update=true} it is written. */
    @Test
    void page_tableOfRoles_isThatOfTheCode() throws Exception {
        Path file = Path.of("..", "..", "docs", "formats", "protocol.md");
        String page = Files.readString(file);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        String made = page.substring(0, from) + table() + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("granary.docs.update")) {
            Files.writeString(file, made);
        }
        assertThat(Files.readString(file))
                .as("to rewrite the page run this test with -Dgranary.docs.update=true")
                .isEqualTo(made);
    }

    private static String table() throws IllegalAccessException {
        Map<String, Set<String>> rows = new LinkedHashMap<>();
        new TreeSet<>(codes().values()).forEach(code -> rows.computeIfAbsent(
                        String.join(
                                ", ",
                                RequestRoles.of(code).stream()
                                        .map(Role::toString)
                                        .toList()),
                        roles -> new TreeSet<>())
                .add(MessageType.nameOf(code)));
        StringBuilder table = new StringBuilder("\n| roles | may send |\n|---|---|\n");
        rows.forEach((roles, names) -> table.append("| %s | %s |%n".formatted(roles, String.join(", ", names))));
        return table.append('\n').toString();
    }

    @Test
    void of_codesWithoutAType_haveNoRoles() throws IllegalAccessException {
        Set<Integer> known = Set.copyOf(codes().values());
        assertThat(IntStream.rangeClosed(0, 0xffff)
                        .filter(code -> !known.contains(code))
                        .filter(code -> !RequestRoles.of(code).isEmpty()))
                .isEmpty();
    }

    @Test
    void of_client_isDataAndWhereItIs() throws IllegalAccessException {
        assertThat(sentBy(Role.CLIENT))
                .containsExactlyInAnyOrder(
                        "HELLO",
                        "PROVE",
                        "LOGIN",
                        "GET_RING",
                        "LIST_PEERS",
                        "ASK_PEER",
                        "LOOKUP",
                        "AWAIT_OWNER",
                        "CREATOR_RANGES",
                        "CREATE",
                        "GET",
                        "PUT",
                        "DELETE",
                        "FENCE",
                        "FIND_CREATED",
                        "CHANGE_NAME",
                        "GET_NAME",
                        "LIST_NAMES",
                        "ACQUIRE_LOCK",
                        "RENEW_LOCK",
                        "RELEASE_LOCK",
                        "SHOW_LOCK",
                        "OPEN_SLOT_GROUP",
                        "GROUP_CALL",
                        "GROUP_CALLS");
    }

    @Test
    void of_whatEndsPeersOrCopies_isNoClientsAndNoAdministrators() {
        for (MessageType<?, ?> type : Arrays.asList(
                MessageType.RAFT,
                MessageType.RING_VIEW,
                MessageType.ANNOUNCE,
                MessageType.JOIN_RING,
                MessageType.ASSIGN_NID,
                MessageType.OPEN_LEASE,
                MessageType.CLOSE_LEASE,
                MessageType.SEAL_ZONES,
                MessageType.DROP_COPIES,
                MessageType.FETCH_COPY,
                MessageType.REPORT_HOLDINGS)) {
            assertThat(NODES).as(type.name()).containsAll(RequestRoles.of(type.code()));
        }
        assertThat(NODES).containsAll(RequestRoles.of(MessageType.REPLICATE));
    }

    @Test
    void permits_standingWithTwoRoles_mayWhatEitherMay() {
        Standing both = Standing.of(Role.CLIENT, Role.ADMINISTRATOR);
        assertThat(both.permits(MessageType.GET)).isTrue();
        assertThat(both.permits(MessageType.START_PLAN.code())).isTrue();
        assertThat(both.permits(MessageType.RAFT.code())).isFalse();
        assertThat(Standing.of(Role.CLIENT).permits(MessageType.START_PLAN.code()))
                .isFalse();
        assertThat(Standing.NOBODY.permits(MessageType.GET)).isFalse();
    }

    @Test
    void permits_everyTypeAndRole_isAsTheTableSays() throws IllegalAccessException {
        for (int code : codes().values()) {
            for (Role role : Role.values()) {
                assertThat(Standing.of(role).permits(code))
                        .isEqualTo(RequestRoles.of(code).contains(role));
            }
        }
    }
}
