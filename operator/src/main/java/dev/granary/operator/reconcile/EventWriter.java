package dev.granary.operator.reconcile;

import dev.granary.operator.plan.Names;
import dev.granary.operator.status.Happening;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Kubernetes Events about a resource. If the same event occurs again within the hour for which the API server
 * keeps events, increases the count of the first one. Logs and forgets an event that cannot be written: events are
 * information, not state.
 */
public final class EventWriter {
    private static final Logger LOG = LoggerFactory.getLogger(EventWriter.class);
    private static final int MESSAGE_LIMIT = 1024;

    private final KubernetesClient client;
    private final InstantSource clock;

    /** Makes a writer. */
    public EventWriter(KubernetesClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Writes an event about a resource. */
    public void write(HasMetadata about, Happening happening) {
        LOG.atInfo()
                .addKeyValue("namespace", about.getMetadata().getNamespace())
                .addKeyValue("name", about.getMetadata().getName())
                .addKeyValue("reason", happening.reason())
                .log(happening.message());
        try {
            Event event = build(about, happening, clock.instant());
            Event before = client.resource(event).get();
            if (before == null) {
                client.resource(event).create();
            } else {
                client.resource(before).edit(old -> new EventBuilder(old)
                        .withCount(old.getCount() == null ? 2 : old.getCount() + 1)
                        .withLastTimestamp(event.getLastTimestamp())
                        .build());
            }
        } catch (KubernetesClientException e) {
            LOG.atWarn().setCause(e).addKeyValue("reason", happening.reason()).log("an event could not be written");
        }
    }

    private static Event build(HasMetadata about, Happening happening, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        String text = happening.message();
        String message = text.length() <= MESSAGE_LIMIT ? text : text.substring(0, MESSAGE_LIMIT - 1) + "…";
        String identity = about.getMetadata().getUid() + happening.reason() + message;
        return new EventBuilder()
                .withNewMetadata()
                .withName(about.getMetadata().getName() + "."
                        + happening.reason().toLowerCase(Locale.ROOT) + "." + Integer.toHexString(identity.hashCode()))
                .withNamespace(about.getMetadata().getNamespace())
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(about.getApiVersion())
                .withKind(about.getKind())
                .withName(about.getMetadata().getName())
                .withNamespace(about.getMetadata().getNamespace())
                .withUid(about.getMetadata().getUid())
                .endInvolvedObject()
                .withType(happening.warning() ? "Warning" : "Normal")
                .withReason(happening.reason())
                .withMessage(message)
                .withNewSource()
                .withComponent(Names.FIELD_MANAGER)
                .endSource()
                .withReportingComponent(Names.FIELD_MANAGER)
                .withFirstTimestamp(time)
                .withLastTimestamp(time)
                .withCount(1)
                .build();
    }
}
