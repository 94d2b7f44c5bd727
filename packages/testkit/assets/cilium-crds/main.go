// Command cilium-crds prints one of Cilium's published custom resource definitions: its argument is the file's name, such
// as ciliumnodes.yaml.
package main

import (
	"fmt"
	"os"

	crds "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/client/crds/v2"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: cilium-crds FILE")
		os.Exit(2)
	}
	yaml, err := crds.EmbedFS.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(yaml)
}
