{{- define "gateway.selector" -}}
app.kubernetes.io/name: sluice-gateway
app.kubernetes.io/instance: {{ .Values.name }}
{{- end }}
{{- define "gateway.metadata" -}}
name: {{ .Values.name }}
labels:
  {{- include "gateway.selector" . | nindent 2 }}
{{- end }}
