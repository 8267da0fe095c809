#!/bin/bash
# link_shared.sh OUT.so ARCHIVE KEEP.txt SONAME: the prelinked archive as a shared library. A version
# script exports the symbols of KEEP.txt under the version that the soname ends with, and nothing
# else. The output depends on the inputs alone.
set -euo pipefail
out=$1 archive=$2 keep=$3 soname=$4
script=$(mktemp)
trap 'rm -f "$script"' EXIT
{
  echo "TORQSCHED_${soname##*.so.} {"
  echo "  global:"
  sed 's/.*/    &;/' "$keep"
  echo "  local: *;"
  echo "};"
} >"$script"
exec g++ -shared -o "$out" -Wl,-soname,"$soname" -Wl,--version-script="$script" \
  -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,-z,defs -Wl,-z,relro,-z,now \
  -Wl,--as-needed -Wl,--build-id=none -lm -lpthread -s
