package dev.granary.operator;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.fabric8.kubernetes.client.utils.Serialization;

/**
 * Creates one resource in a dry run of the API server, which checks it as any other and stores nothing. {@code helm
 * test} runs it, because the image has no kubectl.
 */
public final class DryRunMain {
    private DryRunMain() {}

    /** Creates the resource in the only argument, which is YAML. */
    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("Usage: dry-run YAML");
            System.exit(2);
        }
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            System.out.println(create(client, args[0]));
        } catch (KubernetesClientException e) {
            System.err.println("The API server does not take it: " + e.getMessage()
                    + (e.getCause() == null ? "" : ": " + e.getCause()));
            System.exit(1);
        }
    }

    /**
     * Creates a resource in a dry run; unknown fields are refused.
     *
     * @return what the API server would have made
     * @throws KubernetesClientException if it would have refused
     */
    public static String create(KubernetesClient client, String yaml) {
        GenericKubernetesResource made = client.resource(Serialization.unmarshal(yaml, GenericKubernetesResource.class))
                .dryRun()
                .fieldValidation(FieldValidateable.Validation.STRICT)
                .create();
        return "The API server would create %s %s in namespace %s."
                .formatted(
                        made.getKind(),
                        made.getMetadata().getName(),
                        made.getMetadata().getNamespace());
    }
}
