// Command cilium-crds prints Cilium's published CiliumNode custom resource definition.
package main

import (
	"fmt"
	"os"

	crds "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/client/crds/v2"
)

func main() {
	yaml, err := crds.EmbedFS.ReadFile("ciliumnodes.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(yaml)
}
