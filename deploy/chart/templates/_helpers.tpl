{{- /* The image of Troupe: a digest goes before a tag. */}}
{{- define "troupe.image" -}}
{{- with $.Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{- /* Metadata of an object in the namespace of the release. Of: root, name, component (none: of no component). */}}
{{- define "troupe.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  app.kubernetes.io/name: troupe
  {{- with .component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
  {{- with .role }}
  troupe/role: {{ . }}
  {{- end }}
{{- end }}

{{- /* Of a container that writes nothing and is nobody. */}}
{{- define "troupe.container.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "troupe.pod.security" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "troupe.pull" -}}
{{- with $.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Where pods run, and how their images are got. */}}
{{- define "troupe.placement" -}}
{{- include "troupe.pull" $ }}
{{- with $.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* Where models are, for pods that know kinds. */}}
{{- define "troupe.models.variable" -}}
{{- if $.Values.models.volume }}
- { name: TROUPE_MODELS, value: /etc/troupe/models }
{{- end }}
{{- end }}

{{- define "troupe.models.mount" -}}
{{- if $.Values.models.volume }}
- { name: models, mountPath: /etc/troupe/models, readOnly: true }
{{- end }}
{{- end }}

{{- define "troupe.models.volume" -}}
{{- with $.Values.models.volume }}
- {{ toJson (merge (dict "name" "models") .) }}
{{- end }}
{{- end }}

{{- /* Arguments and variables of whoever installs. */}}
{{- define "troupe.arguments" -}}
{{- range $.Values.namespaces }}
- --namespace={{ . }}
{{- end }}
{{- range $.Values.args }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "troupe.variables" -}}
{{- range $.Values.env }}
- {{ toJson . }}
{{- end }}
{{- end }}

{{- define "troupe.probes" -}}
livenessProbe:
  httpGet: { path: /healthz, port: health }
  initialDelaySeconds: 10
  periodSeconds: 20
readinessProbe:
  httpGet: { path: /readyz, port: health }
  periodSeconds: 5
{{- end }}
