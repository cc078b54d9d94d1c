{{- define "demur.labels" -}}
app.kubernetes.io/name: demur
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "demur.select" -}}
app.kubernetes.io/name: demur
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "demur.url" -}}
postgresql+psycopg://{{ .user }}@{{ .host }}:{{ .port }}/{{ .name }}?sslmode={{ .sslmode }}
{{- end }}

{{/* What every container has: image, settings, rights. */}}
{{- define "demur.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  - name: DEMUR_DATABASE_URL
    value: {{ include "demur.url" .Values.database | quote }}
  - name: PGPASSWORD
    valueFrom:
      secretKeyRef: {name: {{ .Values.secret }}, key: postgres-password}
  - name: DEMUR_API_KEYS
    valueFrom:
      secretKeyRef: {name: {{ .Values.secret }}, key: api-keys}
  - name: DEMUR_STORE
    value: {{ .Values.store.url | quote }}
  - name: DEMUR_STORE_CACHE_BYTES
    value: {{ .Values.store.cacheBytes | int64 | quote }}
  {{- range $name, $key := .Values.store.keysOfSecret }}
  - name: {{ $name }}
    valueFrom:
      secretKeyRef: {name: {{ $.Values.secret }}, key: {{ $key }}}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{/* What every pod has: no rights, and folders that go with it. */}}
{{- define "demur.pod" -}}
serviceAccountName: {{ .Release.Name }}-demur
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end }}
