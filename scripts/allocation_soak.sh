#!/bin/sh
# Compares the offline allocator with the exhaustive reference for longer than the tests do:
#
#   scripts/allocation_soak.sh                      random small problems for ten minutes
#   scripts/allocation_soak.sh random SECONDS SEED
#   scripts/allocation_soak.sh all 5                all problems of five buffers (some 20 minutes)
set -eu
cd "$(dirname "$0")/.."
. scripts/require.sh
require $BUILD_PACKAGES $TEST_PACKAGES
bazel build -c opt --noshow_progress --show_result=0 --ui_event_filters=-info,-stdout \
  //tests/allocation:soak_main
[ $# -gt 0 ] || set -- random 600 "$(date +%s)"
echo "soak_main $*" >&2
exec bazel-bin/tests/allocation/soak_main "$@"
