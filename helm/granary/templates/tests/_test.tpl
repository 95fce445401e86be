{{/* Labels of what `helm test` makes. The operator's Service must not select it. */}}
{{- define "granary.testLabels" -}}
{{- $own := dict "app.kubernetes.io/name" "granary-operator-test" "app.kubernetes.io/instance" .Release.Name -}}
{{- toYaml (merge $own .Values.commonLabels) -}}
{{- end -}}

{{/* Annotations of an object of `helm test`; the argument is its place in the order. */}}
{{- define "granary.testHook" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* The pod of a test, without its containers. */}}
{{- define "granary.testPod" -}}
restartPolicy: Never
enableServiceLinks: false
{{- with include "granary.pullSecrets" . }}
{{ . }}
{{- end }}
securityContext: {{- include "granary.securityContextWith" (list . "granary.podSecurityContext" .Values.podSecurityContext) | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 16Mi
{{- end -}}

{{/* The container of a test, without its command. */}}
{{- define "granary.testContainer" -}}
image: {{ include "granary.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{- include "granary.securityContextWith" (list . "granary.containerSecurityContext" .Values.securityContext) | nindent 2 }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- end -}}
