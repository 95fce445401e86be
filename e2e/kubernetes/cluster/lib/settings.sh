# shellcheck shell=bash disable=SC2034 # the scripts that source this file use the variables
# Settings of the test cluster. Every script in this folder sources this file; each value can be set from outside.

# Everything that the cluster makes is in one folder: caches that are worth keeping (go, bin, images, schemas), and the
# state of the running cluster (cluster), which `down --wipe` removes.
GRANARY_E2E_CACHE=${GRANARY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/granary-e2e}
BIN=$GRANARY_E2E_CACHE/bin
IMAGES=$GRANARY_E2E_CACHE/images
SCHEMAS=$GRANARY_E2E_CACHE/schemas
STATE=$GRANARY_E2E_CACHE/cluster/state   # etcd, containerd and kubelet folders, volumes
RUN=$GRANARY_E2E_CACHE/cluster/run       # process ids, values to restore
PKI=$GRANARY_E2E_CACHE/cluster/pki       # keys, certificates, kubeconfigs
LOGS=$GRANARY_E2E_CACHE/cluster/logs
ADMIN_KUBECONFIG=$PKI/admin.kubeconfig

KUBERNETES_VERSION=v1.34.4   # src/kubernetes/go.mod names the same version
HELM_VERSION=v3.19.5
KUBE_SCORE_VERSION=v1.20.0
KUBECONFORM_VERSION=v0.8.0
SCHEMA_VERSIONS=(v1.29.15 v1.35.0)   # the oldest Kubernetes that the chart is for, and a newer one than that above
KWOK_VERSION=v0.8.0
KUBE_ROUTER_VERSION=v2.1.0

# Addresses. Nodes are NODE_NET.1 to NODE_NET.9, pods of node i are POD_NET.i.0/24, the host is NODE_NET.254.
NODE_NET=${GRANARY_E2E_NODE_NET:-10.200.0}
POD_NET=${GRANARY_E2E_POD_NET:-10.244}
SERVICE_NET=${GRANARY_E2E_SERVICE_NET:-10.96}
HOST_IP=$NODE_NET.254
POD_CIDR=$POD_NET.0.0/16
SERVICE_CIDR=$SERVICE_NET.0.0/16
API_SERVICE_IP=$SERVICE_NET.0.1
DNS_IP=$SERVICE_NET.0.10
DNS_DOMAIN=cluster.local
API_PORT=${GRANARY_E2E_API_PORT:-6443}
ETCD_PORT=${GRANARY_E2E_ETCD_PORT:-23790}
MAX_NODES=9

BRIDGE=granary0
CGROUP=granary-e2e
PODS_WEIGHT=16 # the weight of the pods of all nodes; each process outside has 1

# A node that is silent for this long is NotReady.
NODE_GRACE=${GRANARY_E2E_NODE_GRACE:-20s}

# The device plugin of every node: its resource and the number of devices; with 0 devices there is no plugin.
RDMA_RESOURCE=${GRANARY_E2E_RDMA_RESOURCE:-rdma/hca_shared_devices_a}
RDMA_DEVICES=${GRANARY_E2E_RDMA_DEVICES:-8}
