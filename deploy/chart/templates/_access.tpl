{{- /*
An account, and a ClusterRole that it is bound to. Where namespaces are named, the rules hold in these, and what is in no
namespace, or in none of a tenant's, is bound apart. Of: root, name, rules (text), namespaces (none: those of the values).
*/}}
{{- define "troupe.access" -}}
{{- $subjects := printf "[{ kind: ServiceAccount, name: %s, namespace: %q }]" .name .root.Release.Namespace }}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{- include "troupe.metadata" (dict "root" .root "name" .name) | nindent 2 }}
{{ include "troupe.role" (dict "name" .name "rules" .rules) }}
{{- with .namespaces | default .root.Values.namespaces }}
{{- $name := $.name }}
{{- range . }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $name }}
  namespace: {{ . | quote }}
  labels: { app.kubernetes.io/name: troupe }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ $name }} }
subjects: {{ $subjects }}
{{- end }}
{{- $beyond := list }}
{{- $groups := list "admissionregistration.k8s.io" "apiextensions.k8s.io" "authentication.k8s.io" "authorization.k8s.io" "coordination.k8s.io" }}
{{- range fromYamlArray $.rules }}
{{- if or (has (first .apiGroups) $groups) (has "impersonate" .verbs) }}
{{- $beyond = append $beyond . }}
{{- end }}
{{- end }}
{{ include "troupe.role" (dict "name" (printf "%s-beyond" $name) "rules" (toYaml $beyond)) }}
{{ include "troupe.binding" (dict "name" (printf "%s-beyond" $name) "subjects" $subjects) }}
{{- else }}
{{ include "troupe.binding" (dict "name" .name "subjects" $subjects) }}
{{- end }}
{{- end }}

{{- define "troupe.role" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .name }}
  labels: { app.kubernetes.io/name: troupe }
rules: {{- .rules | nindent 2 }}
{{- end }}

{{- define "troupe.binding" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
  labels: { app.kubernetes.io/name: troupe }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ .name }} }
subjects: {{ .subjects }}
{{- end }}
