{{/* The text of a rule file without the alerts that the values disable, from a list (root, path). */}}
{{- define "granary.alerts" -}}
{{- $root := first . -}}
{{- $text := $root.Files.Get (last .) -}}
{{- $disabled := $root.Values.prometheusRule.disabled -}}
{{- if not $disabled -}}
{{- $text -}}
{{- else -}}
{{- $names := list -}}
{{- $groups := list -}}
{{- range (fromYaml $text).groups -}}
{{- $rules := list -}}
{{- range .rules -}}
{{- $names = append $names .alert -}}
{{- if not (has .alert $disabled) }}{{ $rules = append $rules . }}{{ end -}}
{{- end -}}
{{- if $rules }}{{ $groups = append $groups (set . "rules" $rules) }}{{ end -}}
{{- end -}}
{{- range $disabled -}}
{{- if not (has . $names) }}{{ fail (printf "prometheusRule.disabled: there is no alert %s" .) }}{{ end -}}
{{- end -}}
{{- toYaml (dict "groups" $groups) -}}
{{- end -}}
{{- end -}}
