package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.RedisPlan;
import dev.granary.operator.plan.SecretPlan;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * A fingerprint of all parts of a plan on which a pod template depends. A value that a later version adds counts only
 * when it differs from its default, so that an upgrade of the operator does not change the fingerprint of a resource.
 */
public final class TemplateInputs {
    private TemplateInputs() {}

    /** The fingerprint of a role's template. */
    public static String of(ClusterPlan plan, ClusterPlan.Role role, String component) {
        Map<String, String> inputs = new TreeMap<>();
        inputs.put("image", plan.image());
        inputs.put("compute", Serialization.asJson(role.compute()));
        inputs.put("memory", Long.toString(role.memory().limitBytes()));
        if (!plan.imagePullPolicy().equals("IfNotPresent")) {
            inputs.put("pullPolicy", plan.imagePullPolicy());
        }
        if (!plan.imagePullSecrets().isEmpty()) {
            inputs.put("pullSecrets", String.join(",", plan.imagePullSecrets()));
        }
        if (!role.pods().changesNothing()) {
            inputs.put("pods", Serialization.asJson(role.pods()));
        }
        ClusterPlan.Rdma rdma = plan.rdma();
        if (component.equals(Names.STORAGE) && rdma != null && rdma.granted()) {
            inputs.put("rdma", rdma.fingerprint());
        }
        RedisPlan redis = plan.redis();
        if (component.equals(Names.STORAGE) && redis != null) {
            inputs.put("redis", Serialization.asJson(redis.door()));
        }
        if (!plan.logging().equals(ClusterPlan.Logging.DEFAULT)) {
            inputs.put("logging", Serialization.asJson(plan.logging()));
        }
        if (component.equals(Names.SUPER_PEER) && plan.console()) {
            inputs.put("console", "shown");
        }
        if (plan.hasPorts()) {
            inputs.put("ports", Names.INSIDE_PORT + " " + Names.ADMIN_PORT);
        }
        SecretPlan secret = plan.secret();
        if (secret != null && secret.file() > 0) {
            inputs.put("secret", Integer.toString(secret.file()));
        }
        if (plan.usersAssigned()) {
            inputs.put("users", "assigned");
        }
        if (Pods.hasHttps(plan)) {
            inputs.put("http", "TLS");
        }
        ClusterPlan.Copies copies = plan.copies();
        boolean isStorage = component.equals(Names.STORAGE);
        if (!isStorage && copies.backups() != ClusterPlan.Copies.DEFAULT.backups()) {
            inputs.put("backups", Integer.toString(copies.backups()));
        }
        if (!isStorage && copies.tellsLease()) {
            inputs.put("leaseSeconds", Integer.toString(copies.leaseSeconds()));
        }
        if (isStorage && !copies.durability().equals(ClusterPlan.Copies.DEFAULT.durability())) {
            inputs.put("durability", copies.durability());
        }
        return hash(Serialization.asJson(inputs));
    }

    /** A fingerprint of a text. */
    static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
