package dev.granary.operator.backup;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

/** Makes watches of the objects that this operator has made for a backup, restore or schedule. */
final class Watches {
    private Watches() {}

    /** Returns a watch of the objects of a type; their owner references say whose they are. */
    static <R extends HasMetadata, P extends HasMetadata> InformerEventSource<R, P> of(
            Class<R> type, Class<P> owner, EventSourceContext<P> context) {
        return new InformerEventSource<>(
                InformerEventSourceConfiguration.from(type, owner)
                        .withLabelSelector(Names.MANAGED_BY_LABEL + "=" + Names.FIELD_MANAGER)
                        .build(),
                context);
    }
}
