{{- define "static-ip.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "static-ip.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "static-ip.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "static-ip.selectorLabels" -}}
app.kubernetes.io/name: {{ include "static-ip.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: ipam-operator
{{- end }}

{{- define "static-ip.labels" -}}
{{ include "static-ip.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "static-ip.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "static-ip.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "static-ip.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}

{{- /* Namespace of the Lease, which the flag, the Role and its binding must agree on. */}}
{{- define "static-ip.leaseNamespace" -}}
{{- default .Release.Namespace .Values.options.leaseNamespace }}
{{- end }}

{{- /* "yes" when options.sources includes CiliumNodes. */}}
{{- define "static-ip.servesCiliumNodes" -}}
{{- if or (has "auto" .Values.options.sources) (has "cilium-node" .Values.options.sources) }}yes{{ end }}
{{- end }}

{{- /* "yes" when options.sources includes Eips; with "auto", they need a cluster name, without which the operator leaves them alone. */}}
{{- define "static-ip.servesEips" -}}
{{- if has "eip" .Values.options.sources }}
{{- if not .Values.options.clusterName }}
{{- fail "options.clusterName is needed with the source eip: it is written into the marks of addresses that are allocated" }}
{{- end }}yes
{{- else if and (has "auto" .Values.options.sources) .Values.options.clusterName }}yes{{ end }}
{{- end }}

{{- /* What the Eip flow does where the Eips and pods are: in one namespace, or in all. */}}
{{- define "static-ip.eipRules" -}}
- apiGroups: [materialize.cloud]
  resources: [eips]
  # patch: the finalizer. create, delete: the Eips of pods that ask for one.
  verbs: [list, watch, create, patch, delete]
- apiGroups: [materialize.cloud]
  resources: [eips/status]
  verbs: [patch]
- apiGroups: ['']
  resources: [pods]
  # patch: the annotations and the finalizer.
  verbs: [list, watch, patch]
- apiGroups: ['']
  resources: [pods/status]
  # The condition of the readiness gate.
  verbs: [patch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, get, patch]
{{- end }}

{{- /* Port of a bind address such as ":8080" or "127.0.0.1:8080"; empty for "0", which serves nothing. */}}
{{- define "static-ip.port" -}}
{{- if ne (toString .) "0" }}{{ regexFind "[0-9]+$" (toString .) }}{{ end }}
{{- end }}

{{- /* Host that a probe must name: nothing for an address that the pod's own reaches. */}}
{{- define "static-ip.probeHost" -}}
{{- $host := regexReplaceAll ":[0-9]+$" . "" | trimPrefix "[" | trimSuffix "]" }}
{{- if not (has $host (list "" "0.0.0.0" "::")) }}{{ $host }}{{ end }}
{{- end }}

{{- define "static-ip.agentName" -}}
{{- printf "%s-agent" (include "static-ip.fullname" . | trunc 57 | trimSuffix "-") }}
{{- end }}

{{- define "static-ip.agentSelectorLabels" -}}
app.kubernetes.io/name: {{ include "static-ip.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: node-agent
{{- end }}

{{- define "static-ip.agentLabels" -}}
{{ include "static-ip.agentSelectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "static-ip.agentServiceAccountName" -}}
{{- if .Values.agent.serviceAccount.create }}
{{- default (include "static-ip.agentName" .) .Values.agent.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.agent.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "static-ip.agentImage" -}}
{{- if .Values.agent.image.digest -}}
{{ .Values.agent.image.repository }}@{{ .Values.agent.image.digest }}
{{- else -}}
{{ .Values.agent.image.repository }}:{{ default .Chart.AppVersion .Values.agent.image.tag }}
{{- end }}
{{- end }}

{{- /* What the pods of the operator and of its drain have in common. */}}
{{- define "static-ip.podSpec" -}}
serviceAccountName: {{ include "static-ip.serviceAccountName" . }}
automountServiceAccountToken: true
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
hostNetwork: {{ .Values.hostNetwork }}
dnsPolicy: {{ .Values.dnsPolicy }}
enableServiceLinks: false
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.extraVolumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The same of their containers: how they reach the cloud, and what they may. */}}
{{- define "static-ip.containerSpec" -}}
{{- if or .Values.aws.region .Values.aws.endpointUrl .Values.extraEnv -}}
env:
  {{- with .Values.aws.region }}
  - name: AWS_REGION
    value: {{ . | quote }}
  {{- end }}
  {{- with .Values.aws.endpointUrl }}
  - name: AWS_ENDPOINT_URL_EC2
    value: {{ . | quote }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{ end -}}
{{- with .Values.extraEnvFrom -}}
envFrom:
  {{- toYaml . | nindent 2 }}
{{ end -}}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- with .Values.extraVolumeMounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "static-ip.args" -}}
- run
{{ include "static-ip.flags" (merge (dict "leaseNamespace" (include "static-ip.leaseNamespace" .)) (omit .Values.options "leaseNamespace")) | trim }}
{{- end }}

{{- /* Those options that drain has, too; a test compares them with the schema. */}}
{{- define "static-ip.drainArgs" -}}
{{- $names := list "kubeconfig" "provider" "clusterName" "namespace" "ec2Rate" "visibilityWindow" "workers" "leaseDuration" "leaseName" "logLevel" "logFormat" }}
{{- $options := dict "leaseNamespace" (include "static-ip.leaseNamespace" .) }}
{{- range $names }}
{{- $_ := set $options . (get $.Values.options .) }}
{{- end -}}
- drain
- --stop-deployment={{ .Release.Namespace }}/{{ include "static-ip.fullname" . }}
- --addresses={{ .Values.drain.addresses }}
- --timeout={{ .Values.drain.timeout }}
{{ include "static-ip.flags" $options | trim }}
{{- end }}

{{- /* Every option that has a value becomes its flag: resyncInterval is --resync-interval. */}}
{{- define "static-ip.flags" -}}
{{- range $name, $value := . }}
{{- $flag := regexReplaceAll "([A-Z])" $name "-${1}" | lower }}
{{- if kindIs "slice" $value }}
{{- range $value }}
- {{ printf "--%s=%v" $flag . | quote }}
{{- end }}
{{- else if ne (toString $value) "" }}
- {{ printf "--%s=%v" $flag $value | quote }}
{{- end }}
{{- end }}
{{- end }}
