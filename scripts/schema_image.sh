#!/bin/sh
# Writes capi/schema.binpb, the image of the schema that later ones are compared with
# (tests/compatibility, and `buf breaking` in scripts/lint.sh). Before 1.0.0: in the commit that changes
# the schema on purpose, with a line in CHANGELOG.md. From 1.0.0 on: when a version is released.
set -eu
cd "$(dirname "$0")/../include"
protoc --include_imports --descriptor_set_out=../capi/schema.binpb torqsched/v1/*.proto
echo "capi/schema.binpb: $(wc -c <../capi/schema.binpb) bytes"
