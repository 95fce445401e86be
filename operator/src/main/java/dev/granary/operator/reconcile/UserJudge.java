package dev.granary.operator.reconcile;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.api.GranaryUserSpec;
import dev.granary.operator.api.RedisSpec;
import dev.granary.operator.build.UserSecrets;
import dev.granary.operator.plan.RedisPlan;
import dev.granary.operator.user.CollectedUsers;
import dev.granary.operator.user.DerivedKeys;
import dev.granary.operator.user.UserLines;
import dev.granary.resp.acl.RuleException;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a user in the file of a cluster's doors. A user that cannot be made as its spec says stays as
 * it was, so that a typing error locks nobody out; one that is disabled is off at once. Thread-safe.
 */
final class UserJudge {
    private static final int MOST_PASSWORD_BYTES = 512;
    private static final char FIRST_PRINTABLE = ' ';

    /** The older resource has the name. */
    private static final Comparator<GranaryUser> BY_AGE = Comparator.comparing(
                    (GranaryUser user) -> user.getMetadata().getCreationTimestamp())
            .thenComparing(user -> user.getMetadata().getName());

    private final KubernetesClient client;
    private final DerivedKeys keys;

    UserJudge(KubernetesClient client, DerivedKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    /**
     * What becomes of a user.
     *
     * @param good whether it becomes what its spec says
     * @param reason one word in CamelCase
     * @param message a message for people
     */
    record Verdict(boolean good, String reason, String message, UnaryOperator<CollectedUsers> change) {}

    /** Something is wrong with a password. The message names where it is, and nothing of it. */
    private static final class PasswordException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String reason;

        PasswordException(String reason, String message) {
            super(message);
            this.reason = reason;
        }
    }

    /**
     * Decides.
     *
     * @param others all users of the cluster
     * @param present the users that its doors are given
     */
    Verdict judge(GranaryUser user, Collection<GranaryUser> others, CollectedUsers present) {
        GranaryUserSpec spec = user.getSpec();
        String uid = user.getMetadata().getUid();
        Optional<GranaryUser> older = others.stream()
                .filter(other -> !uid.equals(other.getMetadata().getUid())
                        && other.userName().equals(user.userName())
                        && BY_AGE.compare(other, user) < 0)
                .findFirst();
        if (older.isPresent()) {
            return new Verdict(
                    false,
                    "NameTaken",
                    "GranaryUser " + older.get().getMetadata().getName() + " is older and is the user '"
                            + user.userName() + "' already: take another name in spec.user",
                    users -> users.without(uid));
        }
        String before = present.lineOf(uid);
        try {
            if (!spec.authenticates()) {
                String line = UserLines.disabled(user.userName());
                return new Verdict(
                        true,
                        "Disabled",
                        "spec.enabled is false: nobody can authenticate as this user",
                        users -> users.with(uid, line));
            }
            // Before the passwords, which take time.
            UserLines.check(spec);
            String line = UserLines.enabled(user.userName(), spec, keys(user, before));
            return new Verdict(
                    true,
                    "Known",
                    "the doors of Granary " + spec.granaryRef().name() + " are given this user",
                    users -> users.with(uid, line));
        } catch (RuleException e) {
            return kept("InvalidRules", "spec.rules cannot be applied: " + e.getMessage(), before);
        } catch (PasswordException e) {
            return kept(e.reason, Objects.requireNonNull(e.getMessage()), before);
        }
    }

    private static Verdict kept(String reason, String message, @Nullable String before) {
        return new Verdict(
                false,
                reason,
                message + (before == null ? ". The user is not made" : ". The user stays as it was"),
                users -> users);
    }

    /** Returns what is kept of the passwords. */
    private List<String> keys(GranaryUser user, @Nullable String before) throws PasswordException {
        List<GranaryUserSpec.Password> passwords = user.getSpec().passwords();
        if (passwords == null || passwords.isEmpty()) {
            throw new PasswordException("NoPassword", "spec.passwords names no Secret");
        }
        List<String> present = before == null ? List.of() : UserLines.kept(before);
        Set<String> kept = new LinkedHashSet<>();
        for (GranaryUserSpec.Password password : passwords) {
            kept.add(key(user, password.secretRef(), present));
        }
        return new ArrayList<>(kept);
    }

    private String key(GranaryUser user, GranaryUserSpec.SecretKey ref, List<String> present) throws PasswordException {
        Secret secret = client.secrets()
                .inNamespace(user.getMetadata().getNamespace())
                .withName(ref.name())
                .get();
        if (secret == null) {
            throw new PasswordException("SecretNotFound", "there is no Secret " + ref.name() + " in this namespace");
        }
        String key = ref.keyOrDefault();
        String password = UserSecrets.value(secret, key);
        if (password == null) {
            throw new PasswordException("KeyNotFound", "Secret " + ref.name() + " has no key " + key);
        }
        check(ref.name(), key, password);
        String version = user.getMetadata().getUid() + "/"
                + secret.getMetadata().getUid() + "/" + secret.getMetadata().getResourceVersion() + "/" + key;
        return keys.of(version, password, present);
    }

    private static void check(String secret, String key, String password) throws PasswordException {
        String what = "the password in key " + key + " of Secret " + secret;
        if (password.isEmpty() || password.length() > MOST_PASSWORD_BYTES) {
            throw new PasswordException(
                    "InvalidPassword",
                    what + " has " + password.length() + " bytes, but must have from 1 to " + MOST_PASSWORD_BYTES);
        }
        if (password.chars().anyMatch(letter -> letter < FIRST_PRINTABLE)) {
            throw new PasswordException(
                    "InvalidPassword",
                    what + " has a line end or another control character, which clients do not send: make the Secret"
                            + " without it, as 'printf %s' and 'kubectl create secret --from-literal' do");
        }
    }

    /** Says why a Granary has no users, nothing when it can have some. */
    static Optional<Verdict> withoutUsers(@Nullable Granary granary, String name) {
        if (granary == null) {
            return none("GranaryNotFound", "there is no Granary " + name + " in this namespace");
        }
        RedisSpec redis = granary.getSpec() == null ? null : granary.getSpec().redis();
        if (redis == null || !Boolean.TRUE.equals(redis.enabled())) {
            return none(
                    "RedisDisabled",
                    "Granary " + name + " has no doors for Redis clients: set its redis.enabled to true");
        }
        return RedisPlan.hasManagedUsers(redis)
                ? Optional.empty()
                : none(
                        "UsersNotManaged",
                        "the users of Granary " + name + " are not GranaryUsers: set its redis.managedUsers to true");
    }

    private static Optional<Verdict> none(String reason, String message) {
        return Optional.of(new Verdict(false, reason, message, users -> users));
    }
}
