/** {@code granary doctor}: what is wrong with a cluster, and what to do. It knows every alert of dashboards/alerts.yaml. */
@NullMarked
package dev.granary.cli.doctor;

import org.jspecify.annotations.NullMarked;
