// volume-provisioner makes volumes for claims: a folder of the host for each, bound to the node of the pod that asked.
// It runs beside the control plane, outside the cluster.
package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v10/controller"
)

const provisionerName = "granary.dev/host-folder"

type folders struct{ root string }

func (f folders) Provision(_ context.Context, options controller.ProvisionOptions) (*core.PersistentVolume, controller.ProvisioningState, error) {
	claim := options.PVC
	path := filepath.Join(f.root, claim.Namespace+"_"+claim.Name+"_"+options.PVName)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	// Host folders know no fsGroup: everyone may write, whoever the container's user is. (MkdirAll obeys the umask.)
	if err := os.Chmod(path, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	kind := core.HostPathDirectoryOrCreate
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: options.PVName},
		Spec: core.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			Capacity:                      core.ResourceList{core.ResourceStorage: claim.Spec.Resources.Requests[core.ResourceStorage]},
			PersistentVolumeSource:        core.PersistentVolumeSource{HostPath: &core.HostPathVolumeSource{Path: path, Type: &kind}},
		},
	}
	if options.SelectedNode != nil {
		volume.Spec.NodeAffinity = onlyOn(options.SelectedNode.Labels[core.LabelHostname])
	}
	return volume, controller.ProvisioningFinished, nil
}

func (f folders) Delete(_ context.Context, volume *core.PersistentVolume) error {
	return os.RemoveAll(volume.Spec.HostPath.Path)
}

func onlyOn(hostname string) *core.VolumeNodeAffinity {
	isNode := core.NodeSelectorRequirement{Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{hostname}}
	return &core.VolumeNodeAffinity{Required: &core.NodeSelector{
		NodeSelectorTerms: []core.NodeSelectorTerm{{MatchExpressions: []core.NodeSelectorRequirement{isNode}}},
	}}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	folder := flag.String("folder", "", "where the volumes lie")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		klog.Fatal(err)
	}
	ctx := context.Background()
	controller.NewProvisionController(klog.FromContext(ctx), kubernetes.NewForConfigOrDie(config), provisionerName,
		folders{*folder}, controller.LeaderElection(false), controller.Threadiness(2)).Run(ctx)
}
