// device-plugin advertises devices of one resource to a real kubelet, through the real device plugin interface (v1beta1).
// A container that asks for one gets /dev/infiniband/uverbs0, which is /dev/null: enough to see that the right
// containers get the resource, on machines without the hardware.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const folder = "/var/lib/kubelet/device-plugins"

type plugin struct {
	api.UnimplementedDevicePluginServer
	count int
}

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

func (p *plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	var devices []*api.Device
	for i := range p.count {
		devices = append(devices, &api.Device{ID: fmt.Sprintf("device%d", i), Health: api.Healthy})
	}
	if err := stream.Send(&api.ListAndWatchResponse{Devices: devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (p *plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	response := &api.AllocateResponse{}
	for range request.ContainerRequests {
		response.ContainerResponses = append(response.ContainerResponses, &api.ContainerAllocateResponse{
			Devices: []*api.DeviceSpec{{HostPath: "/dev/null", ContainerPath: "/dev/infiniband/uverbs0", Permissions: "rw"}},
		})
	}
	return response, nil
}

// serve listens on the socket and registers at the kubelet, which deletes all sockets in the folder when it starts.
func serve(socket, resource string, count int) (*grpc.Server, error) {
	os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, &plugin{count: count})
	go server.Serve(listener)
	if err := register(socket, resource); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

func register(socket, resource string) error {
	connection, err := grpc.NewClient("unix://"+filepath.Join(folder, "kubelet.sock"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_, err = api.NewRegistrationClient(connection).Register(ctx,
		&api.RegisterRequest{Version: api.Version, Endpoint: filepath.Base(socket), ResourceName: resource})
	return err
}

func main() {
	resource := flag.String("resource", "rdma/hca_shared_devices_a", "name of the extended resource")
	count := flag.Int("count", 1, "devices on this node")
	flag.Parse()
	socket := filepath.Join(folder, strings.ReplaceAll(*resource, "/", "_")+".sock")
	for {
		server, err := serve(socket, *resource, *count)
		if err != nil {
			log.Print(err)
			time.Sleep(500 * time.Millisecond)
			continue
		}
		log.Printf("registered %d of %s", *count, *resource)
		for { // our socket is gone: the kubelet was restarted
			if _, err := os.Stat(socket); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		server.Stop()
	}
}
