module static-ip.test/assets/cilium-crds

go 1.26.0

require github.com/cilium/cilium v1.20.2
