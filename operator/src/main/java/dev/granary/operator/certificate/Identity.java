package dev.granary.operator.certificate;

import dev.granary.operator.plan.Names;
import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.GeneralName;

/**
 * What the certificate of a role says (docs/formats/certificates.md): the role and the cluster, by which Granary
 * decides, and names of hosts, which clients of Redis compare. Immutable.
 *
 * @param subject the distinguished name
 * @param alternativeNames the SPIFFE id first
 */
public record Identity(String subject, List<Name> alternativeNames) {
    /** Where the cluster runs; all clusters of a Kubernetes cluster have the same. */
    private static final String TRUST_DOMAIN = "cluster.local";

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    /** Copies the names. */
    public Identity {
        alternativeNames = List.copyOf(alternativeNames);
    }

    /**
     * One of the alternative names.
     *
     * @param kind a tag of {@link GeneralName}
     */
    public record Name(int kind, String text) {}

    /**
     * Returns the identity of a role in a cluster.
     *
     * @param moreNames names and addresses under which clients reach the storage peers besides
     */
    public static Identity of(String namespace, String cluster, Role role, List<String> moreNames) {
        List<Name> names = new ArrayList<>();
        names.add(new Name(
                GeneralName.uniformResourceIdentifier,
                "spiffe://" + TRUST_DOMAIN + "/granary/" + clusterName(namespace, cluster) + "/" + role.text()));
        hosts(namespace, cluster, role).forEach(host -> names.add(new Name(GeneralName.dNSName, host)));
        if (role == Role.STORAGE) {
            moreNames.forEach(name -> names.add(nameOrAddress(name)));
        }
        return new Identity(
                "CN=" + role.text() + ",OU=granary-" + role.text() + ",O=" + clusterName(namespace, cluster), names);
    }

    /** Addresses are written in one way, as they are read from certificates. */
    private static Name nameOrAddress(String text) {
        return ADDRESS.matcher(text).matches()
                ? new Name(GeneralName.iPAddress, InetAddress.ofLiteral(text).getHostAddress())
                : new Name(GeneralName.dNSName, text);
    }

    /** Returns the cluster's name in certificates: unique in its Kubernetes cluster. */
    public static String clusterName(String namespace, String cluster) {
        return namespace + "." + cluster;
    }

    /** Returns under which names others reach the processes of a role. */
    private static List<String> hosts(String namespace, String cluster, Role role) {
        List<String> services =
                switch (role) {
                    case SUPER_PEER ->
                        List.of("*." + Names.role(cluster, Names.SUPER_PEER), Names.clientService(cluster));
                    case STORAGE -> List.of("*." + Names.role(cluster, Names.STORAGE), Names.redisService(cluster));
                    case OPERATOR, CLIENT, MONITOR -> List.of();
                };
        List<String> hosts = new ArrayList<>();
        for (String service : services) {
            for (String domain : List.of("", ".svc", ".svc.cluster.local")) {
                hosts.add(service + "." + namespace + domain);
            }
        }
        if (!services.isEmpty()) {
            // For kubectl port-forward.
            hosts.add("localhost");
        }
        return hosts;
    }

    /** Whether a certificate says just this. */
    boolean isThatOf(X509Certificate certificate) {
        try {
            Collection<List<?>> found = certificate.getSubjectAlternativeNames();
            Set<Name> names = new HashSet<>();
            if (found != null) {
                found.forEach(each -> names.add(new Name((Integer) each.get(0), String.valueOf(each.get(1)))));
            }
            return names.equals(new HashSet<>(alternativeNames))
                    && certificate.getSubjectX500Principal().equals(new X500Principal(subject));
        } catch (CertificateParsingException e) {
            return false;
        }
    }
}
