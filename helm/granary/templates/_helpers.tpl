{{/* Name of the operator's objects. */}}
{{- define "granary.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default "operator" .Values.nameOverride -}}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the operator's pods; they never change. */}}
{{- define "granary.selectorLabels" -}}
app.kubernetes.io/name: granary-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The chart's own labels. */}}
{{- define "granary.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "granary.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: operator
app.kubernetes.io/part-of: granary
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* The chart's own labels, then of a list (root, labels), and of commonLabels, those with other names. */}}
{{- define "granary.labelsWith" -}}
{{- $own := include "granary.ownLabels" (first .) -}}
{{- $own -}}
{{- range $name, $value := merge (dict) (last .) (first .).Values.commonLabels }}
{{- if not (hasKey (fromYaml $own) $name) }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Labels of every object of the chart. */}}
{{- define "granary.labels" -}}
{{- include "granary.labelsWith" (list . dict) -}}
{{- end -}}

{{- define "granary.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "granary.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The name of an image, from a list (root, values of the image). */}}
{{- define "granary.imageName" -}}
{{- $root := first . -}}
{{- $image := last . -}}
{{- with default $image.registry (dig "imageRegistry" "" $root.Values.global) }}{{ . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ default $root.Chart.AppVersion $image.tag }}{{ end -}}
{{- end -}}

{{- define "granary.image" -}}
{{- include "granary.imageName" (list . .Values.image) -}}
{{- end -}}

{{- define "granary.granaryImage" -}}
{{- include "granary.imageName" (list . .Values.granaryImage) -}}
{{- end -}}

{{/* The secrets of a pod for its image. */}}
{{- define "granary.pullSecrets" -}}
{{- with .Values.imagePullSecrets -}}
imagePullSecrets:
{{- range . }}
  - name: {{ if kindIs "map" . }}{{ .name }}{{ else }}{{ . }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Security context of a container within the restricted pod security standard. */}}
{{- define "granary.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* OpenShift gives each namespace a range of users and refuses pods that name another. The image has a user of its own. */}}
{{- define "granary.podSecurityContext" -}}
runAsNonRoot: true
{{- if not (.Capabilities.APIVersions.Has "security.openshift.io/v1") }}
runAsUser: 65532
runAsGroup: 65532
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* What the operator may do with the objects of the namespaces that it watches: what the reconciler does, and no more. */}}
{{- define "granary.rules" -}}
- apiGroups: [granary.dev]
  resources: [granaries, granarybackups, granaryrestores, granarybackupschedules, granaryusers]
  verbs: [get, list, watch]
- apiGroups: [granary.dev]
  resources: [granaries/status, granarybackups/status, granaryrestores/status, granarybackupschedules/status, granaryusers/status]
  verbs: [get, patch, update]
# blockOwnerDeletion in owner references needs the right to set finalizers where OwnerReferencesPermissionEnforcement is on.
- apiGroups: [granary.dev]
  resources: [granaries/finalizers, granarybackups/finalizers, granaryrestores/finalizers, granarybackupschedules/finalizers]
  verbs: [update]
# What makes and restores backups. It goes with the resource that it is for.
- apiGroups: [batch]
  resources: [jobs, cronjobs]
  verbs: [get, list, watch, create, patch]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get, list, watch, create, patch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch]
# Network policies, pod monitors and Services for clients of Redis come and go with the fields of the resource that ask
# for them.
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [monitoring.coreos.com]
  resources: [podmonitors]
  verbs: [get, create, patch, delete]
- apiGroups: [""]
  resources: [configmaps, serviceaccounts]
  verbs: [get, list, watch, create, patch]
# Secrets with the secret of each cluster, its CA, certificates and users are made, read and changed; those with the
# passwords of users are read. Those with a former secret of a cluster are deleted. None is listed or watched.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, update, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, patch, delete]
# More memory for a pod that runs, where Kubernetes can do that (1.33 and newer).
- apiGroups: [""]
  resources: [pods/resize]
  verbs: [patch]
# Volumes are listed and grown, never made or deleted.
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, patch]
- apiGroups: [""]
  resources: [events]
  verbs: [get, create, patch, update]
{{- end -}}

{{- define "granary.nodeRules" -}}
# Nodes that are about to be drained: pods on them hand over what they have, so that they can be evicted.
- apiGroups: [""]
  resources: [nodes]
  verbs: [list, watch]
{{- end -}}

{{- define "granary.hasNetworkPolicy" -}}
{{- /* True, or nothing. The APIs are those of networks that enforce policies; others take them and do nothing. */}}
{{- $enabled := .Values.networkPolicy.enabled }}
{{- if kindIs "bool" $enabled }}
{{- if $enabled }}true{{ end }}
{{- else }}
{{- $apis := .Capabilities.APIVersions }}
{{- range list "cilium.io/v2" "crd.projectcalico.org/v1" "crd.antrea.io/v1beta1" "k8s.ovn.org/v1" "networking.k8s.aws/v1alpha1" }}
{{- if $apis.Has . }}true{{ end }}
{{- end }}
{{- end }}
{{- end -}}
