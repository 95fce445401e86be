package dev.granary.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.acl.RuleException;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.CommandTable;
import dev.granary.testkit.DerivedKeys;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AuthenticatorTest {

    private static final RuleNames NAMES = new RuleNames(CommandTable.redis(), command -> false);

    private final Authenticator authenticator = new Authenticator(new SecureRandom());

    @AfterEach
    void close() {
        authenticator.close();
    }

    private static User user(String... rules) {
        try {
            return User.create("some", NAMES).with(List.of(rules));
        } catch (RuleException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isRight(User user, String password) throws Exception {
        return authenticator.isRight(user, password).get(20, TimeUnit.SECONDS);
    }

    @Test
    void isRight_passwordsAndFlags_decide() throws Exception {
        assertThat(isRight(user("on", ">a", ">b"), "b")).isTrue();
        assertThat(isRight(user("on", ">a", ">b"), "c")).isFalse();
        assertThat(isRight(user("off", ">a"), "a")).isFalse();
        assertThat(isRight(user("off", "nopass"), "a")).isFalse();
        assertThat(isRight(user("on", "nopass"), "a")).isTrue();
        assertThat(isRight(user("on"), "")).isFalse();
        assertThat(authenticator.isRight(null, "a").get()).isFalse();
    }

    /** Thousands of clients may come back at once, and each comparison with a derived key takes long. */
    @Test
    void isRight_derivedKeyWasRightBefore_isKnownAtOnce() throws Exception {
        User user = user("on", DerivedKeys.of("a"), ">b");
        assertThat(authenticator.isRight(user, "a").isDone()).isFalse();
        assertThat(isRight(user, "a")).isTrue();
        assertThat(authenticator.isRight(user, "a").getNow(false)).isTrue();
        assertThat(authenticator.isRight(user, "b").getNow(false)).as("a hash").isTrue();
        assertThat(isRight(user, "c")).isFalse();
        assertThat(isRight(user("on", DerivedKeys.of("other")), "a")).isFalse();
    }

    @Test
    void isRight_manyWait_othersAreToldToComeAgain() throws Exception {
        User user = user("on", DerivedKeys.of("a"));
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(authenticator.isRight(user, "wrong" + i));
        }
        assertThatThrownBy(all.getLast()::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(all.getFirst().get(20, TimeUnit.SECONDS)).isFalse();
    }
}
