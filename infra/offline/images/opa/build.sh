#!/bin/sh
# build.sh FOLDER VERSION: puts a static OPA binary into FOLDER, from the Go module registry. Flags as maddy's, so that what both
# stand on is compiled once. Without bundles out of a registry of images: nothing here asks for one, and they are a sixth of it.
set -eu
CGO_ENABLED=0 GOBIN=$1 go install -trimpath -tags netgo,osusergo,opa_no_oci -ldflags='-s -w' "github.com/open-policy-agent/opa@v$2" 2>"$1/build.log" ||
  { tail -n 5 "$1/build.log" >&2; exit 1; }
rm "$1/build.log"
