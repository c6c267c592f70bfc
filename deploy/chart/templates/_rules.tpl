{{- /*
What each role may do in the cluster: no more than its kinds ask for, which test/deploy/access.test.ts compares. Names of kinds,
apart by commas; those of metal3.data are read and written by hosts, and have no lifecycle of their own.
*/}}
{{- define "troupe.kinds.openstack" -}}
addressscopes, applicationcredentials, domains, endpoints, flavors, floatingips, groups, images, keypairs, networks, ports, projects, roleassignments, roles, routerinterfaces, routers, securitygroups, servergroups, servers, services, sharenetworks, subnets, trunks, users, volumes, volumetypes
{{- end }}

{{- define "troupe.kinds.metal3" -}}
baremetalhosts, baremetalswitches, bmceventsubscriptions, dataimages, hostclaims, hostdeploypolicies, hostfirmwarecomponents, hostfirmwaresettings, hostnetworkattachments, preprovisioningimages
{{- end }}

{{- define "troupe.kinds.metal3.data" -}}
firmwareschemas, hardwaredata, hostupdatepolicies
{{- end }}

{{- define "troupe.kinds.windows" -}}
iscsitargets, smbmappings, windowsdisks, windowsmounts, windowsstoragenodes, windowsvolumes
{{- end }}

{{- /* What follows the name of each kind. Of: kinds, below. */}}
{{- define "troupe.below" -}}
{{ .kinds | replace "," (printf "/%s," .below) }}/{{ .below }}
{{- end }}

{{- /* All kinds. Of: root, verbs. */}}
{{- define "troupe.rules.kinds" -}}
- { apiGroups: [openstack.k-orc.cloud], resources: [{{ include "troupe.kinds.openstack" .root }}], verbs: [{{ .verbs }}] }
- { apiGroups: [metal3.io], resources: [{{ include "troupe.kinds.metal3" .root }}], verbs: [{{ .verbs }}] }
- { apiGroups: [windows.troupe.dev], resources: [{{ include "troupe.kinds.windows" .root }}], verbs: [{{ .verbs }}] }
{{- include "troupe.rules.models" . }}
{{- end }}

{{- /* Kinds of models, by what the values say. Of: root, verbs, below (none: the objects themselves). */}}
{{- define "troupe.rules.models" -}}
{{- $verbs := .verbs }}
{{- $below := .below }}
{{- range $group, $kinds := .root.Values.models.kinds }}
{{- $resources := join ", " $kinds }}
{{- with $below }}{{ $resources = include "troupe.below" (dict "kinds" $resources "below" .) }}{{ end }}
- { apiGroups: [{{ $group }}], resources: [{{ $resources }}], verbs: [{{ $verbs }}] }
{{- end }}
{{- end }}

{{- /* Who may read the metrics is asked for each request. */}}
{{- define "troupe.rules.reviews" -}}
- { apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create] }
- { apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create] }
{{- end }}

{{- define "troupe.rules.watch" -}}
- { apiGroups: [""], resources: [secrets], verbs: [list, watch] }
{{ include "troupe.rules.kinds" (dict "root" $ "verbs" "list, watch") }}
- { apiGroups: [metal3.io], resources: [{{ include "troupe.kinds.metal3.data" $ }}], verbs: [list, watch] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- define "troupe.rules.actors" -}}
- { apiGroups: [""], resources: [secrets], verbs: [get, list, patch] }
{{ include "troupe.rules.kinds" (dict "root" $ "verbs" "get, list, patch") }}
- { apiGroups: [metal3.io], resources: [{{ include "troupe.kinds.metal3.data" $ }}], verbs: [get, list] }
- apiGroups: [openstack.k-orc.cloud]
  resources: [{{ include "troupe.below" (dict "kinds" (include "troupe.kinds.openstack" $) "below" "status") }}]
  verbs: [patch]
- apiGroups: [metal3.io]
  resources: [{{ include "troupe.below" (dict "kinds" (include "troupe.kinds.metal3" $) "below" "status") }}]
  verbs: [patch]
- apiGroups: [windows.troupe.dev]
  resources: [{{ include "troupe.below" (dict "kinds" (include "troupe.kinds.windows" $) "below" "status") }}]
  verbs: [patch]
{{- include "troupe.rules.models" (dict "root" $ "verbs" "patch" "below" "status") }}
# Children, and finalizers of their owners where the cluster asks for these.
- { apiGroups: [openstack.k-orc.cloud], resources: [routerinterfaces], verbs: [create, delete] }
- { apiGroups: [openstack.k-orc.cloud], resources: [subnets/finalizers], verbs: [update] }
- { apiGroups: [metal3.io], resources: [hostfirmwaresettings, hostfirmwarecomponents, preprovisioningimages], verbs: [create, delete] }
- { apiGroups: [metal3.io], resources: [hardwaredata, firmwareschemas], verbs: [create, delete, patch] }
- { apiGroups: [metal3.io], resources: [baremetalhosts/finalizers, hostfirmwaresettings/finalizers], verbs: [update] }
# Whether another controller of the same objects runs.
- { apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [f35396c5.k-orc.cloud, baremetal-operator], verbs: [list, watch] }
- { apiGroups: ["", events.k8s.io], resources: [events], verbs: [create, patch] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- define "troupe.rules.openstack" -}}
- { apiGroups: [""], resources: [secrets], verbs: [get] }
- { apiGroups: [openstack.k-orc.cloud], resources: [{{ include "troupe.kinds.openstack" $ }}], verbs: [get] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- define "troupe.rules.ironic" -}}
- { apiGroups: [""], resources: [secrets], verbs: [get, patch] }
- { apiGroups: [""], resources: [namespaces], verbs: [get] }
- { apiGroups: [metal3.io], resources: [{{ include "troupe.kinds.metal3" $ }}], verbs: [get] }
- { apiGroups: [metal3.io], resources: [{{ include "troupe.kinds.metal3.data" $ }}], verbs: [get, list] }
- { apiGroups: [metal3.io], resources: [baremetalhosts, baremetalswitches, hostdeploypolicies], verbs: [list] }
- { apiGroups: [ironic.metal3.io], resources: [ironics], verbs: [get] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- /* Of pods that play all roles that share the objects. */}}
{{- define "troupe.rules.all" -}}
{{- range list "watch" "actors" "openstack" "ironic" }}
{{ include (printf "troupe.rules.%s" .) $ }}
{{- end }}
{{- end }}

{{- define "troupe.rules.visualizer" -}}
{{ include "troupe.rules.kinds" (dict "root" $ "verbs" "get, list, watch") }}
- { apiGroups: [""], resources: [events], verbs: [list] }
- { apiGroups: [metal3.io], resources: [{{ include "troupe.kinds.metal3.data" $ }}], verbs: [get, list, watch] }
- { apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [f35396c5.k-orc.cloud, baremetal-operator], verbs: [list] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- define "troupe.rules.webhooks" -}}
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [baremetalhosts.metal3.io, hostclaims.metal3.io]
  verbs: [get, list, patch, watch]
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations]
  resourceNames: [troupe-metal3]
  verbs: [get, list, patch, watch]
- { apiGroups: [metal3.io], resources: [baremetalhosts], verbs: [list] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- /* Impersonation of named users or groups, and of those that the API server gives every caller. Of: resource, names, always. */}}
{{- define "troupe.rules.impersonation" -}}
{{- if has "*" .names }}
- { apiGroups: [""], resources: [{{ .resource }}], verbs: [impersonate] }
{{- else }}
- { apiGroups: [""], resources: [{{ .resource }}], resourceNames: {{ concat .always .names | uniq | toJson }}, verbs: [impersonate] }
{{- end }}
{{- end }}

{{- /* Objects are written with the permissions of the caller, or with these. */}}
{{- define "troupe.rules.ocm" -}}
{{- if eq $.Values.ocm.writesAs "caller" }}
{{- include "troupe.rules.models" (dict "root" $ "verbs" "get, list, watch") }}
{{- include "troupe.rules.impersonation" (dict "resource" "users" "names" $.Values.ocm.users "always" (list "system:anonymous")) }}
{{- include "troupe.rules.impersonation" (dict "resource" "groups" "names" $.Values.ocm.groups "always" (list "system:authenticated" "system:unauthenticated")) }}
{{- else }}
{{- include "troupe.rules.models" (dict "root" $ "verbs" "create, delete, get, list, patch, watch") }}
{{- end }}
{{ include "troupe.rules.reviews" $ }}
{{- end }}

{{- define "troupe.rules.csi-proxy" -}}
- { apiGroups: [windows.troupe.dev], resources: [{{ include "troupe.kinds.windows" $ }}], verbs: [get] }
- { apiGroups: [windows.troupe.dev], resources: [iscsitargets, smbmappings, windowsmounts, windowsstoragenodes], verbs: [list] }
{{ include "troupe.rules.reviews" $ }}
{{- end }}
