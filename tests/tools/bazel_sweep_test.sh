#!/bin/bash
# The rules of bazel/torqsched.bzl: what they built is what the command line makes of the same files.
#
#   bazel_sweep_test.sh TORQSCHED EDGE_CNN MLP BUILT...
set -u

torqsched=$1
edge=$2
mlp=$3
shift 3
built=("$@")
. "$(dirname "$0")/checks.sh"

output() {
  local file
  for file in "${built[@]}"; do
    case $file in */"$1") echo "$file" && return ;; esac
  done
  fail "the rules built no $1"
}

sweep() {
  run 0 sweep "$edge" "$mlp" --out "$tmp/s" --lram 64KiB,128KiB,256KiB --budgets 50:40,100:100 \
    --strategies none,stream_schedule
  local file
  for file in sweep.csv sweep.json sweep.svg; do
    same "$tmp/s/$file" "$(output small_chips/$file)" "the rule's $file is the command line's"
  done
  lines "$tmp/s/sweep.csv" 25
}

schedule() {
  run 0 lower "$edge" --layers 0:6 -o "$tmp/request.binpb"
  run 0 schedule "$tmp/request.binpb" --strategy optimize --work-limit 200000 \
    -o "$tmp/response.binpb" --svg "$tmp/a.svg"
  same "$tmp/response.binpb" "$(output edge_cnn.response.binpb)" "a table's response is the same"
  same "$tmp/a.svg" "$(output edge_cnn.svg)" "a table's picture is the same"
  same "$tmp/err" "$(output edge_cnn.summary.txt)" "a table's summary is the same"
  run 0 convert "$(output worked_example.response.binpb)" --message ScheduleResponse
  expect "$tmp/out" '^ *sensitivity '
}

sweep
schedule
finish
