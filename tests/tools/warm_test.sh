#!/bin/bash
# `torqsched warm` from outside: requests, exit statuses, the line that an error makes, and what the
# reports say of an example that was calculated by hand (testdata/warm/README.md).
#
#   warm_test.sh TORQSCHED FIXTURE...
set -u

torqsched=$1
shift
fixtures=("$@")
. "$(dirname "$0")/checks.sh"

two=$(fixture two-weights.txtpb)
forward=$(fixture deepseek_v4_flash_decode.txtpb)

usage() {
  run 2 warm
  expect "$tmp/err" '^torqsched warm: expected INPUT'
  run 2 warm "$two" --l2 2MX
  expect "$tmp/err" "^torqsched warm: --l2: '2MX'; expected bytes, such as"
  run 2 warm "$two" --engine ''
  expect "$tmp/err" "^torqsched warm: --engine: ''; expected bytes"
  run 2 warm "$two" --format yaml
}

# A layer of 98 + 400 + 52 + 30 + 470 us. Each issue takes 24 us: 122 and 146 us. At 285 GB/s 64 MiB
# land 235.5 us later, and 32 MiB 117.7 us after that; 17 ns are saved for each 100,000 bytes.
by_hand() {
  run 0 warm "$two"
  lines "$tmp/err" 0
  expect "$tmp/out" '^forward       1,050\.0 us -> 1,032\.9 us \(-1\.6 %\), predicted$'
  expect "$tmp/out" '^ +attention and experts: 1 layer, 1,050\.0 us -> 1,032\.9 us \(-1\.6 %\); 100\.7 MB in flight of 201\.3 MB$'
  expect "$tmp/out" '^attention and experts +after q_up +wo_a +67\.1 MB +122\.0 us +357\.5 us +498\.0 us +100\.0 %$'
  expect "$tmp/out" '^ +wo_b +33\.6 MB +146\.0 us +475\.2 us +538\.6 us +100\.0 %$'
  run 0 warm "$two" --explain
  expect "$tmp/out" '^wo_a +67\.1 MB +WARM +after q_up: 67\.1 MB of 67\.1 MB land before proj_a reads it'
  # Twice as fast: 117.7 us instead of 235.5.
  run 0 warm "$two" --engine 570GB
  expect "$tmp/out" ' wo_a +67\.1 MB +122\.0 us +239\.7 us '
  # The pair is exactly L2, and full does not fit: so they are two sets, and the first may.
  run 0 warm "$two" --l2 96MiB --explain
  expect "$tmp/out" '^wo_a +67\.1 MB +WARM '
  expect "$tmp/out" '^wo_b +33\.6 MB +TOO_LARGE +33\.6 MB does not fit beside the plan: less than 100\.7 MB may be in$'
  # An L2 larger than all that a layer pulls keeps everything: 427.8 + 67.1 + 33.6 MB.
  run 0 warm "$two" --l2 1GB --explain
  expect "$tmp/out" '^wo_a +67\.1 MB +RESIDENT +still there: 528\.5 MB come between two reads of it, L2 holds 1\.0 GB$'
  expect "$tmp/out" 'no warm$'
}

responses() {
  run 0 warm "$two" -o "$tmp/a.binpb"
  lines "$tmp/out" 0
  expect "$tmp/err" '^timeline      two weights$'
  run 0 convert "$tmp/a.binpb" --message PlanWarmResponse
  expect "$tmp/out" 'by_task_id: true'
  grep -q flips "$tmp/out" && fail "flips that nobody asked for"
  run 0 warm "$two" --flips --format text
  expect "$tmp/out" 'flips \{'
  run 0 convert "$two" -o "$tmp/a.json"
  run 0 warm "$tmp/a.json" -o "$tmp/b.binpb"
  same "$tmp/a.binpb" "$tmp/b.binpb" 'text and JSON are answered alike'
}

# What the source ships: wo_a, then wo_b, once q is written, in every kind of layer.
whole_forward() {
  run 0 warm "$forward" --code "$tmp/warm.py" --alternatives --flips
  expect "$tmp/out" '^layers        43 of 3 kinds, 20 regions$'
  for kind in swa hca csa; do
    expect "$tmp/out" "^$kind +after q_up +wo_a +67\.1 MB "
    expect "$tmp/warm.py" "^with pl.at\(level=pl.Level.CORE_GROUP, name_hint=\"warm_${kind}_q_up\", deps=\[q_up_tid\]\):\$"
  done
  python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$tmp/warm.py" ||
    fail 'the code is no Python'
  expect "$tmp/out" '^ *-[0-9.]+ us +100\.7 MB +chosen +wo_a, wo_b after q_up$'
  expect "$tmp/out" '^engine +285,000 +MB/s +<= '
}

pictures() {
  run 0 warm "$two" --timeline --svg "$tmp/w.svg"
  expect "$tmp/out" '^without +\[q_up-*\]\[sparse_attn-*\]\[p\.*\]'
  expect "$tmp/out" '^L2, tenths +[0-9]+$'
  expect "$tmp/w.svg" '^<svg xmlns='
  expect "$tmp/w.svg" '^</svg>$'
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tmp/w.svg" ||
    fail 'the picture is no XML'
}

wrong() {
  run 1 warm "$(fixture worked-example-1.txtpb)"
  expect "$tmp/err" "holds a 'torqsched.v1.ScheduleRequest'; expected torqsched.v1.PlanWarmRequest"
  sed 's/region: 1/region: 7/' "$two" >"$tmp/w.txtpb"
  run 1 warm "$tmp/w.txtpb"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/w.txtpb: kind 0 'attention and experts', stage 3 'proj_b': reads unknown region 7; there are 2 regions\$"
  run 1 warm "$two" --l2 0
  expect "$tmp/err" ': hardware.l2_bytes: 0; expected 1 to '
  : >"$tmp/empty.txtpb"
  run 1 warm "$tmp/empty.txtpb"
  expect "$tmp/err" "^$tmp/empty.txtpb: timeline.kinds: no kinds of layers; expected at least one\$"
  run 1 warm "$tmp/no such file"
}

usage
by_hand
responses
whole_forward
pictures
wrong
finish
