package dev.granary.operator.reconcile;

import dev.granary.operator.build.Secrets;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The Secrets of an API server, which takes no change of one that is immutable or that somebody else has changed. */
final class PlayedSecrets implements Function<PlayedApi.Request, Reply> {
    private final Map<String, Secret> stored = new TreeMap<>();
    private final AtomicInteger versions = new AtomicInteger();
    private int writesUntilFailure = Integer.MAX_VALUE;

    @Override
    public synchronized Reply apply(PlayedApi.Request request) {
        String name = request.path().substring(request.path().lastIndexOf('/') + 1);
        if (!request.method().equals("GET") && --writesUntilFailure < 0) {
            writesUntilFailure = Integer.MAX_VALUE;
            return Reply.error(500, "InternalError");
        }
        return switch (request.method()) {
            case "POST" -> create(Serialization.unmarshal(request.body(), Secret.class));
            case "PUT" -> replace(name, Serialization.unmarshal(request.body(), Secret.class));
            case "DELETE" -> stored.remove(name) == null ? Reply.error(404, "NotFound") : Reply.of(200, "{}");
            default -> {
                Secret found = stored.get(name);
                yield found == null ? Reply.error(404, "NotFound") : Reply.of(200, Serialization.asJson(found));
            }
        };
    }

    private Reply create(Secret secret) {
        String name = secret.getMetadata().getName();
        return stored.containsKey(name) ? Reply.error(409, "AlreadyExists") : store(201, secret);
    }

    private Reply replace(String name, Secret secret) {
        Secret old = stored.get(name);
        if (old == null) {
            return Reply.error(404, "NotFound");
        }
        if (Objects.equals(old.getImmutable(), true)) {
            return Reply.error(422, "Invalid");
        }
        boolean same = Objects.equals(
                old.getMetadata().getResourceVersion(), secret.getMetadata().getResourceVersion());
        return same ? store(200, secret) : Reply.error(409, "Conflict");
    }

    private Reply store(int code, Secret secret) {
        secret.getMetadata().setResourceVersion(Integer.toString(versions.incrementAndGet()));
        stored.put(secret.getMetadata().getName(), secret);
        return Reply.of(code, Serialization.asJson(secret));
    }

    /** Has the API server fail once, after this many writes that it takes. */
    synchronized void failAfter(int writes) {
        writesUntilFailure = writes;
    }

    /** Returns the texts of all Secrets by their names. */
    synchronized Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        stored.forEach((name, secret) -> texts.put(name, Objects.requireNonNull(Secrets.textOf(secret))));
        return texts;
    }

    synchronized @Nullable Secret get(String name) {
        return stored.get(name);
    }

    synchronized void put(Secret secret) {
        store(201, secret);
    }

    synchronized void remove(String name) {
        stored.remove(name);
    }
}
