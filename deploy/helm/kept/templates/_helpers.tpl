{{- define "kept.name" -}}
{{- if contains "kept" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-kept" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "kept.selector" -}}
app.kubernetes.io/name: kept
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kept.labels" -}}
{{ include "kept.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* include "kept.image" (list . "kept-api") */}}
{{- define "kept.image" -}}
{{- $top := index . 0 -}}
{{- $registry := $top.Values.image.registry | trimSuffix "/" -}}
{{- if $registry }}{{ $registry }}/{{ end }}{{ index . 1 }}:{{ $top.Values.image.tag | default $top.Chart.AppVersion }}
{{- end -}}

{{- define "kept.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{- .Values.publicUrl -}}
{{- else if .Values.ingress.enabled -}}
{{- printf "%s://%s" (ternary "https" "http" (ne .Values.ingress.tlsSecret "")) .Values.ingress.host -}}
{{- end -}}
{{- end -}}

{{/* What every pod has. enableServiceLinks: a service named kept would set KEPT_PORT to a URL, which is a setting. */}}
{{- define "kept.pod" -}}
serviceAccountName: {{ include "kept.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* include "kept.podSecurity" (list . hasBrowser) */}}
{{- define "kept.podSecurity" -}}
{{- $top := index . 0 -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    {{- if index . 1 }}
    {{- toYaml $top.Values.browserSeccompProfile | nindent 4 }}
    {{- else }}
    type: RuntimeDefault
    {{- end }}
{{- end -}}

{{- define "kept.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "kept.environment" -}}
envFrom:
  - configMapRef:
      name: {{ include "kept.name" . }}
  {{- if .Values.scaled.enabled }}
  - secretRef:
      name: {{ required "scaled.existingSecret is required: a secret with KEPT_DATABASE_URL and the others" .Values.scaled.existingSecret }}
  {{- end }}
{{- end -}}

{{- define "kept.serverProbes" -}}
startupProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 15
  timeoutSeconds: 5
  failureThreshold: 4
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 2
  timeoutSeconds: 5
{{- end -}}

{{- define "kept.workerProbes" -}}
livenessProbe:
  exec:
    command: ["sh", "-c", "celery -A kept.worker.celery_app inspect ping -d celery@$HOSTNAME -t 10"]
  initialDelaySeconds: 30
  periodSeconds: 60
  timeoutSeconds: 20
  failureThreshold: 3
{{- end -}}

{{/* Pods wait until the job has migrated the schema: it is one of a release's resources like any other, and no hook. */}}
{{- define "kept.waitForSchema" -}}
initContainers:
  - name: wait-for-schema
    image: {{ include "kept.image" (list . "kept-api") }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: ["sh", "-c", "until kept migrate --check; do sleep 2; done"]
    {{- include "kept.containerSecurity" . | nindent 4 }}
    {{- include "kept.environment" . | nindent 4 }}
    volumeMounts:
      - {name: tmp, mountPath: /tmp}
      - {name: data, mountPath: /data}
{{- end -}}

{{- define "kept.scratchVolumes" -}}
volumes:
  - name: tmp
    emptyDir: {sizeLimit: 1Gi}
  - name: data
    emptyDir: {sizeLimit: 64Mi}
{{- end -}}
