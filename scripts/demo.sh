#!/bin/sh
# Installs what is missing, builds the command line, and schedules a shipped stream: a decoder block
# of Gemma 3 1B (int4 weights) on profile sl2610. Further arguments go to `torqsched schedule`.
set -eu
cd "$(dirname "$0")/.."
. scripts/require.sh
require $BUILD_PACKAGES
echo "Building the command line (a minute or two the first time) ..." >&2
bazel build -c opt --noshow_progress --show_result=0 --ui_event_filters=-info,-stdout //tools:torqsched
exec bazel-bin/tools/torqsched schedule testdata/streams/gemma3-1b-decode-int4.block-mac11.txtpb \
  --hardware sl2610 "$@"
