{{- /*
A Deployment of Troupe. Of: root; role (none: all roles); component; args, ports, secrets beyond those of all (lists);
bus (false: they have nothing to do with it); foreign (true: they call clouds or Ironic, and mount what values say); kinds (false: they
know those of Troupe at most); grace (seconds for their end).
*/}}
{{- define "troupe.deployment" -}}
{{- $root := .root }}
{{- $role := .role | default "" }}
{{- $component := .component | default "actors" }}
{{- $speaks := ne .bus false }}
{{- $models := and $root.Values.models.volume (ne .kinds false) }}
{{- $name := empty $role | ternary "troupe" (printf "troupe-%s" $role) }}
{{- $labels := dict "app.kubernetes.io/component" $component }}
{{- if $role }}{{ $_ := set $labels "troupe/role" $role }}{{ end }}
{{- $ofRole := empty $role | ternary "alone" $role }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "troupe.metadata" (dict "root" $root "name" $name "component" .component "role" $role) | nindent 2 }}
spec:
  # They share the objects; one that dies is replaced by the others within a lease time.
  replicas: {{ dig $ofRole $root.Values.replicas $root.Values.roles.replicas }}
  selector:
    matchLabels: {{ toJson $labels }}
  template:
    metadata:
      labels: {{ toJson (merge (dict "app.kubernetes.io/name" "troupe") $labels) }}
      annotations: { kubectl.kubernetes.io/default-container: troupe }
    spec:
      serviceAccountName: {{ $name }}
      terminationGracePeriodSeconds: {{ .grace | default 10 }}
      # A node, or a zone, that goes takes as few of them as can be.
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: { matchLabels: {{ toJson $labels }} }
        {{- end }}
      securityContext:
        {{- include "troupe.pod.security" $ | nindent 8 }}
        fsGroup: 65532
      containers:
        - name: troupe
          image: {{ include "troupe.image" $root | quote }}
          {{- with $root.Values.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args:
            - run
            - --health-probe-bind-address=:8081
            - --metrics-bind-address=:8443
            {{- with $role }}
            - --roles={{ . }}
            {{- end }}
            {{- range .args }}
            - {{ . }}
            {{- end }}
            {{- include "troupe.arguments" $root | nindent 12 }}
          env:
            - name: POD_NAME
              valueFrom: { fieldRef: { fieldPath: metadata.name } }
            {{- if $speaks }}
            - name: NATS_URL
              value: {{ $root.Values.nats.url | quote }}
            - { name: NATS_NKEY, value: /etc/troupe/bus/nkey }
            - { name: NATS_CA, value: /etc/troupe/bus/ca.crt }
            {{- end }}
            {{- if $models }}
            {{- include "troupe.models.variable" $root | trim | nindent 12 }}
            {{- end }}
            {{- include "troupe.variables" $root | nindent 12 }}
          ports:
            - { name: health, containerPort: 8081 }
            - { name: metrics, containerPort: 8443 }
            {{- range .ports }}
            - {{ toJson . }}
            {{- end }}
          {{- include "troupe.probes" $ | nindent 10 }}
          # Seen (test/bench): 10,000 objects at rest hold 170 MB and take 27 ms of a processor a second; 300 at once, 210 MB; a
          # start with 10,000, 300 MB. No limit of the processor: what comes up, comes up as fast as it can.
          resources: {{- toYaml (dig $ofRole $root.Values.resources $root.Values.roles.resources) | nindent 12 }}
          securityContext: {{- include "troupe.container.security" $ | nindent 12 }}
          {{- if or $speaks $models .secrets }}
          volumeMounts:
            {{- if $speaks }}
            - { name: bus, mountPath: /etc/troupe/bus, readOnly: true }
            {{- end }}
            {{- if $models }}
            {{- include "troupe.models.mount" $root | trim | nindent 12 }}
            {{- end }}
            {{- range .secrets }}
            - { name: {{ .name }}, mountPath: {{ .folder }}, readOnly: true }
            {{- end }}
            {{- if .foreign }}
            {{- range $root.Values.volumeMounts }}
            - {{ toJson . }}
            {{- end }}
            {{- end }}
      volumes:
        {{- if $speaks }}
        # Of the user of the bus that plays the role, or all; the pod waits for it. Replaced while it runs.
        - name: bus
          secret: { secretName: troupe-bus-{{ $ofRole }}, defaultMode: 288 }
        {{- end }}
        {{- if $models }}
        {{- include "troupe.models.volume" $root | trim | nindent 8 }}
        {{- end }}
        {{- range .secrets }}
        - name: {{ .name }}
          secret: { secretName: {{ .secretName }}, defaultMode: 288 }
        {{- end }}
        {{- if .foreign }}
        {{- range $root.Values.volumes }}
        - {{ toJson . }}
        {{- end }}
        {{- end }}
      {{- end }}
      {{- include "troupe.placement" $root | nindent 6 }}
      {{- with $root.Values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
