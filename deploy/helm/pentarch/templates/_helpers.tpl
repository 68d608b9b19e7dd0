{{- define "pentarch.name" -}}
{{- if contains "pentarch" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-pentarch" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "pentarch.selector" -}}
app.kubernetes.io/name: pentarch
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "pentarch.common" -}}
app.kubernetes.io/part-of: pentarch
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "pentarch.labels" -}}
{{ include "pentarch.selector" . }}
{{ include "pentarch.common" . }}
{{- end -}}

{{- define "pentarch.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{- /* Labels of a store for trials: (dict "root" . "store" "postgres"). */ -}}
{{- define "pentarch.store" -}}
app.kubernetes.io/name: {{ .store }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .store }}
{{- end -}}

{{- /* What every container here may do: nothing beyond its own files. */ -}}
{{- define "pentarch.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
