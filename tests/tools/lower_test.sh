#!/bin/bash
# `torqsched tiles` and `torqsched lower` from outside: requests and tables, exit statuses, the line
# that an error makes, and what the reports say of products that were calculated by hand
# (docs/tiling.md).
#
#   lower_test.sh TORQSCHED TABLE...
set -u

torqsched=$1
shift
fixtures=("$@")
. "$(dirname "$0")/checks.sh"

mobilenet=$(fixture mobilenet_v2_int8.json)

usage() {
  run 2 tiles
  expect "$tmp/err" '^torqsched tiles: expected INPUT or --matmul BATCHxMxKxN$'
  run 2 tiles --matmul 1x2x3
  expect "$tmp/err" "^torqsched tiles: --matmul: '1x2x3'; expected BATCHxMxKxN"
  run 2 tiles --matmul 1x2x3x4 --type f64
  expect "$tmp/err" "^torqsched tiles: --type: 'f64' is not known; expected int4, int8 or bf16"
  run 2 tiles "$mobilenet" --type int8
  expect "$tmp/err" '^torqsched tiles: --type needs --matmul$'
  run 2 lower
  run 2 lower "$mobilenet" --layers 3
  expect "$tmp/err" "^torqsched lower: --layers: '3'; expected FIRST:COUNT"
  run 2 lower "$mobilenet" --trials 3
  expect "$tmp/err" '^torqsched lower: --trials needs --tune$'
  run 2 lower "$mobilenet" --loop-percent x
  run 2 lower "$mobilenet" --loop-percent 0
  expect "$tmp/err" '^torqsched lower: --loop-percent: 0; expected 1 to 100$'
  run 2 lower "$mobilenet" --contraction-percent 4294967297
  expect "$tmp/err" '^torqsched lower: --contraction-percent: 4294967297 is too large; .* is 100$'
  run 2 lower "$mobilenet" --message Stream
  expect "$tmp/err" "^torqsched lower: --message: 'Stream'; expected Network or LowerRequest\$"
}

# 196,608 bytes of rows, 24,576 of 16 columns' weights, 4,096 of outputs and 5,120 of code are more
# than 40 %; all of LRAM takes 176 columns in 18 programs. Two runs of 64 rows load the weight twice.
# Cycles by hand: tests/tiling/loop_cycles_test.cc. 3,577,954 / 2,631,570 is 1.3596.
tiles() {
  run 0 tiles --matmul 1x128x768x3072 --type bf16
  lines "$tmp/err" 0
  expect "$tmp/out" '^matmul +523,008 +all: rows stay whole +230,400$'
  expect "$tmp/out" '^matmul +128 x 176 x 768 +517,120 +18 +5,007,360 +3,577,954 +no$'
  expect "$tmp/out" '^ +percent alone +64 x 48 x 768 +183,296 +128 +10,289,152 +2,580,892 +yes$'
  expect "$tmp/out" '^ +to double-buffer +128 x 96 x 768 +373,760 +32 +5,079,040 +2,631,570 +yes, 1.36x$'
  run 0 tiles --matmul 1x128x768x3072 --type bf16 --constants 1
  expect "$tmp/out" '^matmul +523,008 +all: constants fit '
  run 0 tiles --matmul 1x1x16x16 --constants 1MiB --contraction-percent 10
  expect "$tmp/out" '^matmul +52,300 +contraction percent +5,408$'
  # One tile: code 1,077, weight 53.8, 16 bytes twice 3.4, and the least program, 64.
  expect "$tmp/out" '^matmul +1 x 16 x 16 +5,408 +1 +5,392 +1,203 +yes$'
  run 2 tiles --matmul 1x0x16x16
  expect "$tmp/err" "^torqsched tiles: loop 0 'matmul': m 0; expected at least 1\$"
  run 0 tiles --matmul 1x128x768x3072 --type bf16 --format json
  expect "$tmp/out" '"reason": "BUDGET_REASON_ROWS_STAY_WHOLE"'
  expect "$tmp/out" '"cycles": "3577954"'
}

# Two weights of 262,144 bytes are more than LRAM: 64 x (55,139 + 1,077 + 52,429 + 14) + 862 cycles
# against 3,660,866, 1.8998.
double_buffering() {
  echo 'int8_macs_per_cycle: 5' >"$tmp/slow.txtpb"
  run 0 tiles --matmul 1x1x4096x4096 --contraction-percent 52 --hardware "$tmp/slow.txtpb"
  expect "$tmp/out" '^matmul +1 x 64 x 4,096 +271,424 +64 +17,108,992 +6,955,038 +no$'
  expect "$tmp/out" '^ +to double-buffer +1 x 48 x 4,096 +205,872 +86 +17,221,632 +3,660,866 +yes, 1.90x$'
}

# Weights by elements: 7 sums are no multiple of 8, 7 x 3 half bytes are 11 bytes.
constants() {
  run 0 tiles --matmul 1x128x7x1000000
  expect "$tmp/out" '^LRAM +523,008 usable bytes; constants 7,000,000, which do not fit$'
  run 0 tiles --matmul 1x1x7x3 --type int4
  expect "$tmp/out" '^LRAM +523,008 usable bytes; constants 11, which fit$'
  run 2 tiles --matmul 1x1x4294967296x4294967296
  expect "$tmp/err" 'bytes of weight, 4294967296 \* 4294967296 \* 8 bits, do not fit 64 bits$'
}

# The table's own totals: macs and layers.
lowering() {
  run 0 lower "$mobilenet"
  expect "$tmp/out" '^lowered +64 layers, [0-9,]+ programs, [0-9,]+ ops, [0-9,]+ buffers$'
  expect "$tmp/out" '^macs +300,774,272$'
  expect "$tmp/out" '^warning +convolutions pay for smaller tiles'
  run 0 lower "$mobilenet" --layers 63:1 --explain
  expect "$tmp/out" '^macs +1,280,000$'
  # 1,280 rows of the weight of 1,000 columns, and biases and scales.
  expect "$tmp/out" '^fc +[0-9]+ n +[0-9,]+ +209,203 +contraction percent +1,284,000 +1,280 +0 +1,000$'
  run 0 lower "$mobilenet" --layers 63:1 --no-scheduler --explain
  expect "$tmp/out" '^fc +[0-9]+ n +[0-9,]+ +523,008 +all: no scheduler '
}

# What it writes can be scheduled, and checked.
streams() {
  run 0 lower "$mobilenet" --layers 0:6 -o "$tmp/s.binpb"
  lines "$tmp/out" 0
  expect "$tmp/err" '^network +mobilenet_v2$'
  run 0 schedule "$tmp/s.binpb" -o "$tmp/a.binpb"
  run 0 verify "$tmp/s.binpb" "$tmp/a.binpb"
  run 0 lower "$mobilenet" --layers 0:6 --format text
  expect "$tmp/out" 'name: "load f0.conv/n0.in"'
  run 0 lower "$mobilenet" --layers 0:6 --tune --trials 7
  expect "$tmp/out" '^tuned +[0-9,]+ -> [0-9,]+ cycles after scheduling \([-+][0-9.]+ %\)$'
  # What was found makes the same stream again, from any format.
  local name
  run 0 lower "$mobilenet" --layers 0:6 --tune --trials 7 --budgets "$tmp/found.txtpb" -o "$tmp/found.binpb"
  expect "$tmp/found.txtpb" '^# proto-message: torqsched.v1.LowerRequest$'
  run 0 convert "$tmp/found.txtpb" -o "$tmp/found_request.json"
  for name in found.txtpb found_request.json; do
    run 0 lower "$tmp/$name" --message LowerRequest -o "$tmp/again.binpb"
    checks=$((checks + 1))
    cmp "$tmp/found.binpb" "$tmp/again.binpb" >&2 || fail "$name makes another stream"
  done
  run 0 lower "$mobilenet" --layers 0:6 --tune --trials 7
  expect "$tmp/out" '^ +[1-7] trials, [0-9]+ kinds of layers; ended by its limit$'
}

table() {
  printf '{"layers": [%s]}' "$1" >"$tmp/t.json"
  run 1 lower "$tmp/t.json"
  lines "$tmp/err" 1
}

wrong() {
  table '{"name": "a", "op": "frob", "output_bytes": 3}'
  expect "$tmp/err" "^$tmp/t.json: layer 0 'a': op 'frob' is not known; expected matmul, conv, "
  table '{"name": "a", "op": "norm", "output_bytes": 3, "inputs": [0]}'
  expect "$tmp/err" "^$tmp/t.json: layer 0 'a': input 0 is layer 0; expected an earlier layer"
  table '{"name": "a", "op": "matmul", "output_bytes": 16, "inputs": [-1], "input_bytes_each": [16], "weight_bytes": 256}'
  expect "$tmp/err" "^$tmp/t.json: layer 0 'a': "
  echo '{"layer": []}' >"$tmp/t.json"
  run 1 lower "$tmp/t.json"
  expect "$tmp/err" "^$tmp/t.json: no layers; expected a list 'layers'\$"
  run 1 lower "$mobilenet" --layers 60:9
  expect "$tmp/err" 'options.layer_count: 9 from layer 60 on; expected at most 4$'
}

usage
tiles
double_buffering
constants
lowering
streams
wrong
finish
