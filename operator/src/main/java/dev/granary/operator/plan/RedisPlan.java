package dev.granary.operator.plan;

import dev.granary.operator.api.RedisAnnounceSpec;
import dev.granary.operator.api.RedisServiceSpec;
import dev.granary.operator.api.RedisSpec;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The doors of a cluster's storage peers and the Service before them. There is none for a cluster without doors.
 *
 * @param door what a storage peer must know; a change restarts it
 * @param managedUsers whether their users are GranaryUsers
 * @param serviceType the type of the Service
 * @param serviceAnnotations its annotations
 */
public record RedisPlan(
        Door door, boolean managedUsers, String serviceType, SortedMap<String, String> serviceAnnotations) {

    /**
     * The door of a storage peer.
     *
     * @param host where clients are told that it is, with the placeholders of {@link RedisAnnounceSpec#host}
     * @param port the port that they are told, {@code null} for the port of the door
     * @param firstPort the port that they are told of the storage peer with the ordinal 0, {@code null} for none
     * @param redirect which clients are sent to the owner of a key
     * @param maxClients how many clients it serves
     * @param idleSeconds after which time a client is closed that asks nothing, {@code null} for never
     * @param usersSecret the Secret with its users, {@code null} for none
     */
    public record Door(
            String host,
            @Nullable Integer port,
            @Nullable Integer firstPort,
            String redirect,
            int maxClients,
            @Nullable Integer idleSeconds,
            @Nullable String usersSecret) {}

    private static final Pattern HOST =
            Pattern.compile("([A-Za-z0-9.-]|\\{(address|hostname|nodeAddress|pod|ordinal)})+");
    private static final List<String> DIFFERENT_EACH = List.of("{address}", "{hostname}", "{pod}", "{ordinal}");
    private static final int MOST_CLIENTS = 1_000_000;
    private static final int MAX_PORT = 65535;

    /**
     * Returns the plan that a resource asks for.
     *
     * @param cluster name of the resource
     * @param mostStoragePeers how many storage peers there may be
     * @param tls TLS of the cluster, {@code null} for none
     * @return {@code null} when there are to be no doors
     * @throws InvalidSpecException when it asks for something impossible
     */
    static @Nullable RedisPlan of(
            @Nullable RedisSpec spec, String cluster, int mostStoragePeers, @Nullable TlsPlan tls) {
        if (spec == null || !Boolean.TRUE.equals(spec.enabled())) {
            return null;
        }
        RedisAnnounceSpec announce = spec.announce() == null ? RedisAnnounceSpec.NONE : spec.announce();
        // Clients with TLS compare the name, and no certificate has the address of a pod.
        String usual = tls != null && tls.redis() ? RedisAnnounceSpec.HOSTNAME : RedisAnnounceSpec.ADDRESS;
        String host = announce.host() == null ? usual : announce.host();
        check(HOST.matcher(host).matches(), RedisAnnounceSpec.A_HOST);
        check(announce.port() == null || announce.firstPort() == null, RedisAnnounceSpec.ONE_PORT);
        check(
                announce.firstPort() != null || DIFFERENT_EACH.stream().anyMatch(host::contains),
                RedisAnnounceSpec.ONE_EACH);
        within("redis.announce.port", announce.port(), MAX_PORT);
        within("redis.announce.firstPort", announce.firstPort(), MAX_PORT - mostStoragePeers + 1);
        within("redis.maxClients", spec.maxClients(), MOST_CLIENTS);
        within("redis.idleSeconds", spec.idleSeconds(), Integer.MAX_VALUE);
        String redirect = spec.redirect() == null ? RedisSpec.REDIRECTS.getFirst() : spec.redirect();
        Door door = new Door(
                host,
                announce.port(),
                announce.firstPort(),
                Planner.oneOf("redis.redirect", redirect, RedisSpec.REDIRECTS),
                spec.maxClients() == null ? RedisSpec.MAX_CLIENTS : spec.maxClients(),
                spec.idleSeconds(),
                usersSecret(spec, cluster));
        RedisServiceSpec service = spec.service() == null ? RedisServiceSpec.NONE : spec.service();
        String type = service.type() == null ? RedisServiceSpec.TYPES.getFirst() : service.type();
        return new RedisPlan(
                door,
                hasManagedUsers(spec),
                Planner.oneOf("redis.service.type", type, RedisServiceSpec.TYPES),
                new TreeMap<>(service.annotations() == null ? Map.of() : service.annotations()));
    }

    /** Returns whether the users of a resource's doors are GranaryUsers. */
    public static boolean hasManagedUsers(@Nullable RedisSpec spec) {
        return spec != null && Boolean.TRUE.equals(spec.enabled()) && Boolean.TRUE.equals(spec.managedUsers());
    }

    private static @Nullable String usersSecret(RedisSpec spec, String cluster) {
        check(!hasManagedUsers(spec) || spec.usersSecretRef() == null, RedisSpec.ONE_SOURCE);
        if (hasManagedUsers(spec)) {
            return Names.users(cluster);
        }
        return spec.usersSecretRef() == null ? null : spec.usersSecretRef().name();
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSpecException(message);
        }
    }

    private static void within(String field, @Nullable Integer value, int max) {
        check(value == null || (value >= 1 && value <= max), field + " is " + value + ", but must be from 1 to " + max);
    }
}
