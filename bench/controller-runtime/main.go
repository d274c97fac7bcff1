// SPDX-License-Identifier: Apache-2.0

// The webhook as it is usually written in Go, with controller-runtime: the pod is decoded into its type, changed and
// encoded again, and the patch is what differs. It gives containers the TF_CONFIG that our webhook gives them, and the
// pod the same labels. It checks less and keeps no access log, which is in its favour.
//
//	controller-runtime FOLDER PORT
//
// FOLDER holds tls.crt and tls.key; GOMAXPROCS is the number of threads.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type stamp struct {
	Group  string `json:"group"`
	Start  int    `json:"start"`
	Port   int    `json:"port"`
	Domain string `json:"domain"`
}

type task struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
}

type tfConfig struct {
	Cluster map[string][]string `json:"cluster"`
	Task    task                `json:"task"`
}

// configOf finds the pod in its group, "role=set.service:count,…", whose ordinals each set deals out in that order.
func configOf(s stamp, pod, namespace string) (*tfConfig, error) {
	config := &tfConfig{Cluster: map[string][]string{}}
	ordinals := map[string]int{}
	for _, entry := range strings.Split(s.Group, ",") {
		role, rest, _ := strings.Cut(entry, "=")
		address, number, _ := strings.Cut(rest, ":")
		set, service, _ := strings.Cut(address, ".")
		count, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("entry %q of the group: %w", entry, err)
		}
		for ; count > 0; count-- {
			name := fmt.Sprintf("%s-%d", set, s.Start+ordinals[set])
			if name == pod {
				config.Task = task{Type: role, Index: len(config.Cluster[role])}
			}
			config.Cluster[role] = append(config.Cluster[role],
				fmt.Sprintf("%s.%s.%s.svc.%s:%d", name, service, namespace, s.Domain, s.Port))
			ordinals[set]++
		}
	}
	if config.Task.Type == "" {
		return nil, fmt.Errorf("pod %s is not in the group %q", pod, s.Group)
	}
	return config, nil
}

func inject(pod *corev1.Pod, namespace string) error {
	var s stamp
	if err := json.Unmarshal([]byte(pod.Annotations["tfconfig.dev/group"]), &s); err != nil {
		return fmt.Errorf("annotation tfconfig.dev/group: %w", err)
	}
	config, err := configOf(s, pod.Name, namespace)
	if err != nil {
		return err
	}
	value, err := json.Marshal(config)
	if err != nil {
		return err
	}
	variable := corev1.EnvVar{Name: "TF_CONFIG", Value: string(value)}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		container.Env = append([]corev1.EnvVar{variable}, container.Env...)
	}
	pod.Labels["tfconfig.dev/role"] = config.Task.Type
	pod.Labels["tfconfig.dev/index"] = strconv.Itoa(config.Task.Index)
	return nil
}

type handler struct {
	decoder admission.Decoder
}

func (h handler) Handle(_ context.Context, request admission.Request) admission.Response {
	pod := &corev1.Pod{}
	if err := h.decoder.Decode(request, pod); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if pod.Labels["tfconfig.dev/inject"] != "true" {
		return admission.Allowed("")
	}
	if err := inject(pod, request.Namespace); err != nil {
		return admission.Denied(err.Error())
	}
	changed, err := json.Marshal(pod)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

func run(folder, port string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	ctrl.SetLogger(logr.Discard())
	log.SetOutput(io.Discard) // net/http's word on each connection that ends before its handshake
	server := webhook.NewServer(webhook.Options{
		Host:    "127.0.0.1",
		Port:    number,
		CertDir: folder,
		// As operators are scaffolded, for the sake of HTTP/2's denials of service.
		TLSOpts: []func(*tls.Config){func(config *tls.Config) { config.NextProtos = []string{"http/1.1"} }},
	})
	server.Register("/mutate", &admission.Webhook{Handler: handler{admission.NewDecoder(clientgoscheme.Scheme)}})
	return server.Start(ctrl.SetupSignalHandler())
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: controller-runtime FOLDER PORT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "controller-runtime:", err)
		os.Exit(1)
	}
}
