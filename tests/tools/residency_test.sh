#!/bin/bash
# `torqsched residency` from outside: requests and layer tables, exit statuses, the line that an
# error makes, and what the reports say of an example that was planned by hand.
#
#   residency_test.sh TORQSCHED FIXTURE...
set -u

torqsched=$1
shift
fixtures=("$@")
. "$(dirname "$0")/checks.sh"

layers=$(fixture two-layers.txtpb)
table=$(fixture whisper_tiny_decoder_step_wint8_aint8.json)

# is_usage MESSAGE ARGUMENT...
is_usage() {
  local message=$1
  shift
  run 2 residency "$@"
  lines "$tmp/out" 0
  expect "$tmp/err" "^torqsched residency: $message"
}

usage() {
  is_usage 'expected INPUT or --network FILE'
  is_usage 'INPUT beside --network; expected one of the two' "$layers" --network "$table"
  is_usage '--network needs --sram BYTES' --network "$table"
  is_usage "--sram: '2MX'; expected bytes, such as" "$layers" --sram 2MX
  is_usage "--sram: 'MiB'; expected bytes, such as" "$layers" --sram MiB
  is_usage '--hbm: 17179869184GiB is too large' "$layers" --hbm 17179869184GiB
  is_usage "--strategy: 'best' is not known; expected density or optimal" "$layers" --strategy best
  is_usage '--bandwidths needs --strategy optimal' "$layers" --bandwidths 3:2:1
  is_usage '--nodes needs --strategy optimal' "$layers" --nodes 7
  is_usage '--split needs --strategy optimal' "$layers" --split
  is_usage "--bandwidths: '3:x:1'; expected numbers" "$layers" --strategy optimal --bandwidths 3:x:1
  is_usage "--bandwidths: '3'; expected numbers" "$layers" --strategy optimal --bandwidths 3
}

# Of the MLP: 8,192 of buffers, 24,576 of h, 1,024 of the table; 31,744 are left, and the caches
# want 4 x 8,192. HBM holds 262,144 x 4 or the others.
by_hand() {
  run 0 residency "$layers" --explain
  expect "$tmp/out" '^ +0 +65,536 +33,792 +0 +31,744 +425,984$'
  expect "$tmp/out" '^attention +kv +carried +8,192 +8,448 +4 +HBM +does not fit: 1,024 bytes'
  expect "$tmp/out" '^mlp +wup +weight +262,144 +262,144 +4 +DRAM +weights stay off chip$'
  run 0 residency "$layers" --strategy optimal --split
  expect "$tmp/out" '^off chip +1,450,240 bytes moved a step; DENSITY 1,475,584 \(-1.7 %\)$'
  expect "$tmp/out" '^ +proven fewest$'
  expect "$tmp/out" '^ +0 +65,536 +33,792 +24,576 +7,168 +1,048,576$'
  # 1,024 bytes more, and they are on chip.
  run 0 residency "$layers" --sram 66560
  expect "$tmp/out" '^ +0 +66,560 +33,792 +32,768 +0 +'
  # 65 KiB are the same; 66560 B.
  run 0 residency "$layers" --sram 65KiB
  expect "$tmp/out" '^ +0 +66,560 +33,792 +32,768 +0 +'
  run 0 residency "$layers" --strategy optimal --bandwidths 100:10:1
  expect "$tmp/out" '^time +[0-9,]+ units of time; DENSITY [0-9,]+ '
}

responses() {
  run 0 residency "$layers" -o "$tmp/a.binpb"
  lines "$tmp/out" 0
  expect "$tmp/err" '^strategy +DENSITY$'
  run 0 convert "$tmp/a.binpb" --message PlanResidencyResponse
  expect "$tmp/out" '^programs \{ tiers: \[TIER_SRAM, TIER_SRAM, TIER_HBM, TIER_HBM\]|^  tiers: \[TIER_SRAM, TIER_SRAM, TIER_HBM, TIER_HBM\]'
  grep -q explanations "$tmp/out" && fail "explanations that nobody asked for"
  run 0 residency "$layers" --explain --format text
  expect "$tmp/out" '^explanations \{'
  run 0 convert "$layers" -o "$tmp/a.json"
  run 0 residency "$tmp/a.json" -o "$tmp/b.binpb"
  same "$tmp/a.binpb" "$tmp/b.binpb" 'text and JSON are answered alike'
}

# The four caches that a step reads whole have 1,152,000 bytes, and the four others 172,032.
tables() {
  run 0 residency --network "$table" --sram 2MiB --explain
  expect "$tmp/out" ': 1 program, 128 tensors, 1 chip$'
  expect "$tmp/out" '^   0  2,097,152    3,456  1,840,128  253,568         0$'
  expect "$tmp/out" "^d1.cross_kv state +carried +1,152,000 +1,152,000  DRAM  does not fit: 898,432 bytes short\$"
  run 0 residency --network "$table" --sram 2MiB --format json
  expect "$tmp/out" '"network_program"'
  run 0 convert "$table" --message Network -o "$tmp/n.txtpb"
  run 0 residency --network "$tmp/n.txtpb" --sram 2MiB -o "$tmp/n.binpb"
  run 0 residency --network "$table" --sram 2MiB -o "$tmp/m.binpb"
  same "$tmp/n.binpb" "$tmp/m.binpb" 'a table in text and in JSON are answered alike'
  printf '{"layers": [{"name": "a", "output_byte": 3}]}' >"$tmp/t.json"
  run 1 residency --network "$tmp/t.json" --sram 1MiB
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/t.json: layer 0 'a': the size of its output is not given"
  printf '{"layers": [{"name": "a", "output_bytes": 3, "inputs": [0]}]}' >"$tmp/t.json"
  run 1 residency --network "$tmp/t.json" --sram 1MiB
  expect "$tmp/err" "^$tmp/t.json: layer 0 'a': input 0 is layer 0; expected an earlier layer"
  printf '{"layers": [{"name": "a", "output_bytes": "x"}]}' >"$tmp/t.json"
  run 1 residency --network "$tmp/t.json" --sram 1MiB
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/t.json:"
}

wrong() {
  run 1 residency "$table"
  expect "$tmp/err" "json: looks like a layer table; use --network\$"
  echo '{"layer": []}' >"$tmp/t.json"
  run 1 residency --network "$tmp/t.json" --sram 1MiB
  expect "$tmp/err" "^$tmp/t.json: no layers; expected a list 'layers'\$"
  run 1 residency "$(fixture worked-example-1.txtpb)"
  expect "$tmp/err" "holds a 'torqsched.v1.ScheduleRequest'; expected torqsched.v1.PlanResidencyRequest"
  sed 's/"mlp" instances: 4/"attention"/' "$layers" >"$tmp/w.txtpb"
  run 1 residency "$tmp/w.txtpb"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/w.txtpb: program 1 'attention': program 0 has the same name"
  run 1 residency "$layers" --strategy optimal --bandwidths 3:2
  expect "$tmp/err" ': options.bandwidths.hbm: not set; expected bytes in a time$'
  run 1 residency "$tmp/no such file"
}

pictures() {
  run 0 residency "$layers" --phases --svg "$tmp/p.svg"
  expect "$tmp/out" "^program 'mlp' on chip 0: at most 33 KiB of 64 KiB held \(51.6 %\)$"
  expect "$tmp/p.svg" '^<svg xmlns='
  expect "$tmp/p.svg" '^</svg>$'
}

# A stream that loads a cache, writes a row of it, and stores the row: both transfers go.
streams() {
  local step
  step=$(fixture state-in-place.txtpb)
  run 0 residency "$step" --explain
  expect "$tmp/out" '^streams +attention step: 2 transfers dropped, 0 of resident buffers kept; reserve 8,192 bytes beside it$'
  grep -q ' stays: ' "$tmp/out" && fail "a transfer stays"
  run 0 residency "$step" --sram 8191
  expect "$tmp/out" '^streams +attention step: 0 transfers dropped, 0 of resident buffers kept; reserve 0 bytes beside it$'
  # Without the store the next run would not find what it loads.
  sed 's/OP_KIND_STORE/OP_KIND_BARRIER/' "$step" >"$tmp/s.txtpb"
  run 0 residency "$tmp/s.txtpb" --explain
  expect "$tmp/out" "^stream 0, op 0 'load kv' stays: something else touches its XRAM buffer\$"
  # The stream that comes back is one that can be scheduled.
  run 0 residency "$step" --format json
  python3 - "$tmp/out" "$tmp/bound.json" <<'PYTHON' && run 0 schedule "$tmp/bound.json" --format json
import json, sys
stream = json.load(open(sys.argv[1]))["streams"][0]["stream"]
json.dump({"stream": stream}, open(sys.argv[2], "w"))
PYTHON
  expect "$tmp/out" '"input_makespan": "4[0-9][0-9]"'
}

usage
by_hand
responses
tables
wrong
pictures
streams
finish
