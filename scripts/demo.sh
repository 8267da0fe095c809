#!/bin/sh
# Installs what is missing, builds the command line, and schedules a shipped stream: all of MobileNetV2
# (int8) on profile sl2610. Further arguments go to `torqsched schedule`.
set -eu
cd "$(dirname "$0")/.."
. scripts/require.sh
require $BUILD_PACKAGES
echo "Building the command line (a minute or two the first time) ..." >&2
bazel build -c opt --noshow_progress --show_result=0 --ui_event_filters=-info,-stdout //tools:torqsched
exec bazel-bin/tools/torqsched schedule testdata/streams/mobilenet-v2-int8.whole.txtpb \
  --hardware sl2610 "$@"
