package dev.granary.operator.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import dev.granary.resp.acl.UsersFile;
import dev.granary.resp.acl.UsersFile.UsersFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The file that storage peers read, in any order of changes. */
class CollectedUsersTest {
    private static final RuleNames NAMES = RuleNames.ofGranary();

    private static List<User> read(CollectedUsers users) {
        try {
            return UsersFile.read("users.acl", users.text(), NAMES);
        } catch (UsersFileException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void text_noUsers_letsNobodyIn() {
        assertThat(read(CollectedUsers.NONE)).singleElement().satisfies(user -> {
            assertThat(user.name()).isEqualTo("default");
            assertThat(user.enabled()).isFalse();
            assertThat(user.anyPassword()).isFalse();
        });
    }

    @Test
    void text_someUsers_isThis() {
        CollectedUsers users = CollectedUsers.NONE
                .with("uid-2", "user shop on ~shop:* resetchannels -@all +get")
                .with("uid-1", "user jobs off resetchannels -@all");
        assertThat(users.text()).isEqualTo("""
                # The Granary operator writes this file from GranaryUsers, and overwrites what others change.
                user default off
                # GranaryUser uid-1
                user jobs off resetchannels -@all
                # GranaryUser uid-2
                user shop on ~shop:* resetchannels -@all +get
                """);
    }

    @Test
    void text_userNamedDefault_isThatLineAlone() {
        String line = "user default on ~* resetchannels -@all +get";
        assertThat(CollectedUsers.NONE.with("uid-1", line).text())
                .contains(line)
                .doesNotContain("user default off");
    }

    @Test
    void parse_linesOfOthers_doNotCount() {
        CollectedUsers users = CollectedUsers.parse("""
                user stranger on nopass ~* +@all
                # GranaryUser uid-1
                user shop on resetchannels -@all
                user second on nopass ~* +@all
                # GranaryUser uid-2
                nonsense
                user third on nopass ~* +@all
                """);
        assertThat(users.lineOf("uid-1")).isEqualTo("user shop on resetchannels -@all");
        assertThat(users.lineOf("uid-2")).isNull();
        assertThat(read(users)).extracting(User::name).containsExactly("default", "shop");
    }

    /** Compares with a map after each of many random changes. */
    @Test
    void changes_random_fileIsThatOfAModel() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        CollectedUsers users = CollectedUsers.NONE;
        TreeMap<String, String> uidByName = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            String uid = "uid-" + random.nextInt(6);
            String name = random.nextInt(8) == 0 ? "default" : "user" + random.nextInt(5);
            switch (random.nextInt(4)) {
                case 0 -> {
                    users = users.without(uid);
                    uidByName.values().removeIf(uid::equals);
                }
                case 1 -> {
                    Set<String> live = new HashSet<>(List.of(uid, "uid-0", "uid-9"));
                    users = users.only(live);
                    uidByName.values().removeIf(each -> !live.contains(each));
                }
                default -> {
                    users = users.with(uid, UserLines.disabled(name));
                    uidByName.values().removeIf(uid::equals);
                    uidByName.put(name, uid);
                }
            }
            TreeMap<String, String> expected = new TreeMap<>(uidByName);
            expected.putIfAbsent("default", "");
            assertThat(read(users))
                    .as("seed %d, change %d", seed, i)
                    .extracting(User::name)
                    .containsExactlyInAnyOrderElementsOf(expected.keySet());
            assertThat(CollectedUsers.parse(users.text()).text()).isEqualTo(users.text());
        }
    }
}
