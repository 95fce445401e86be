{{/* A quantity of memory in MiB, rounded down. */}}
{{- define "granary.mebibytes" -}}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $text := kindIs "string" . | ternary . (printf "%.0f" (float64 .)) -}}
{{- if not (regexMatch "^[0-9]+([.][0-9]+)?([kMGT]|[KMGT]i)?$" $text) -}}
{{- fail (printf "resources.limits.memory: %q is not a quantity such as 384Mi or 1Gi" $text) -}}
{{- end -}}
{{- divf (mulf (regexFind "^[0-9.]+" $text | float64) (get $units (regexFind "[a-zA-Z]*$" $text))) 1048576 | floor -}}
{{- end -}}

{{/*
Flags of the operator's JVM. What is beside the heap takes less than 256Mi: 96Mi for classes, 32Mi for compiled code,
and threads, buffers and the JVM itself.
*/}}
{{- define "granary.jvmOptions" -}}
{{- if .Values.jvmOptions -}}
{{- .Values.jvmOptions -}}
{{- else -}}
{{- $heap := 128 -}}
{{- with dig "limits" "memory" "" .Values.resources -}}
{{- $heap = sub (include "granary.mebibytes" . | int) 256 -}}
{{- if lt $heap 64 -}}
{{- fail (printf "resources.limits.memory is %v: the operator needs 320Mi, or flags in jvmOptions" .) -}}
{{- end -}}
{{- end -}}
-Xms64m -Xmx{{ $heap }}m -XX:MaxMetaspaceSize=96m -XX:ReservedCodeCacheSize=32m
{{- end -}}
{{- end -}}

{{/* Environment variables of the operator. */}}
{{- define "granary.environment" -}}
- name: GRANARY_IMAGE
  value: {{ include "granary.granaryImage" . }}
- name: GRANARY_IMAGE_PULL_POLICY
  value: {{ .Values.granaryImage.pullPolicy | lower }}
{{- with .Values.watchNamespaces }}
- name: GRANARY_OPERATOR_NAMESPACES
  value: {{ join "," . | quote }}
{{- end }}
{{- if not .Values.watchNodes }}
- name: GRANARY_OPERATOR_WATCH_NODES
  value: "false"
{{- end }}
- name: GRANARY_OPERATOR_LEASE_NAME
  value: {{ include "granary.fullname" . }}
- name: GRANARY_OPERATOR_LEASE_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: GRANARY_HTTP_PORT
  value: {{ .Values.httpPort | quote }}
- name: GRANARY_LOG_FORMAT
  value: {{ .Values.log.format }}
- name: GRANARY_LOG_LEVEL
  value: {{ .Values.log.level }}
- name: GRANARY_JVM_OPTIONS
  value: {{ include "granary.jvmOptions" . | quote }}
{{- end -}}

{{/* Environment variables of the user; a name that the chart sets would be there twice. */}}
{{- define "granary.extraEnvironment" -}}
{{- $own := dict -}}
{{- range include "granary.environment" . | fromYamlArray }}{{ $_ := set $own .name true }}{{ end -}}
{{- range .Values.extraEnv -}}
{{- if hasKey $own .name -}}
{{- fail (printf "extraEnv: the chart sets %s itself, from another value" .name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.extraEnv }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Annotations of the operator's pods. Prometheus reads either these or the PodMonitor. */}}
{{- define "granary.podAnnotations" -}}
{{- $own := dict -}}
{{- if not (include "granary.hasPodMonitor" .) -}}
{{- $own = dict "prometheus.io/scrape" "true" "prometheus.io/port" (toString .Values.httpPort) "prometheus.io/path" "/metrics" -}}
{{- end -}}
{{- with merge (dict) .Values.podAnnotations $own }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Says "true" where PodMonitors are made. */}}
{{- define "granary.hasPodMonitor" -}}
{{- if and .Values.podMonitor.enabled (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}true{{ end -}}
{{- end -}}

{{/* A security context of the chart with fields of the user, from a list (root, name of the template, fields). */}}
{{- define "granary.securityContextWith" -}}
{{- $own := include (index . 1) (index . 0) | fromYaml -}}
{{- toYaml (mergeOverwrite $own (index . 2)) -}}
{{- end -}}

{{/* Affinity of the operator's pods: several of them prefer different nodes. */}}
{{- define "granary.affinity" -}}
{{- $affinity := deepCopy .Values.affinity -}}
{{- if and (gt (int .Values.replicas) 1) (not (hasKey $affinity "podAntiAffinity")) -}}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (include "granary.selector" . | fromYaml) -}}
{{- $preferred := list (dict "weight" 100 "podAffinityTerm" $term) -}}
{{- $_ := set $affinity "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" $preferred) -}}
{{- end -}}
{{- with $affinity }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Topology spread constraints of the operator's pods, each with a selector. */}}
{{- define "granary.spread" -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $selector := dict "labelSelector" (include "granary.selector" $ | fromYaml) -}}
{{- $constraints = append $constraints (merge (deepCopy .) $selector) -}}
{{- end -}}
{{- with $constraints }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "granary.selector" -}}
matchLabels: {{- include "granary.selectorLabels" . | nindent 2 }}
{{- end -}}
