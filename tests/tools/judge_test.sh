#!/bin/bash
# `torqsched judge` from outside: requests and tables of rounds, exit statuses, the line that an
# error makes, and what is said of rounds whose medians are counted here.
#
#   judge_test.sh TORQSCHED FIXTURE...
set -u

torqsched=$1
shift
fixtures=("$@")
. "$(dirname "$0")/checks.sh"

request=$(fixture rounds.txtpb)
table=$(fixture rounds.csv)

# csv LINE...: a file of these lines, $tmp/a.csv.
csv() { printf '%s\n' "$@" >"$tmp/a.csv"; }

# usage MESSAGE ARGUMENT...
usage() {
  local message=$1
  shift
  run 2 judge "$@"
  lines "$tmp/out" 0
  expect "$tmp/err" "^torqsched judge: $message"
  expect "$tmp/err" '^Try: torqsched judge --help$'
}

# refused MESSAGE LINE...: the input is at fault; the one line says where and what.
refused() {
  local message=$1
  shift
  csv "$@"
  run 1 judge "$tmp/a.csv"
  lines "$tmp/err" 1
  lines "$tmp/out" 0
  expect "$tmp/err" "^$tmp/a\.csv:$message"
}

# series ARM COUNT TIME...: rounds that take these times in turn.
series() {
  local arm=$1 count=$2 i
  shift 2
  for ((i = 0; i < count; ++i)); do
    printf '%s,%s\n' "$arm" "${*:i % $#+1:1}"
  done
}

help_fits_a_screen() {
  run 0 judge --help
  checks=$((checks + 2))
  [ "$(wc -l <"$tmp/out")" -le 24 ] || fail "help has more than 24 lines"
  [ "$(wc -L <"$tmp/out")" -le 80 ] || fail "help has more than 80 columns"
  run 0 --help
  expect "$tmp/out" '^  judge INPUT '
}

wrong_usage() {
  usage 'expected INPUT'
  usage 'expected INPUT' "$table" "$request"
  usage 'no option --unknown' "$table" --unknown
  usage "--unit: 'h' is not known; expected ns, us, ms or s" "$table" --unit h
  usage '--unit: the columns of times tell their unit' "$table" --unit us
  usage '--unit goes with rounds in CSV; INPUT is a request' "$request" --unit us
  usage '--issues goes with rounds in CSV; INPUT is a request' "$request" --issues "$table"
  usage 'standard input can be one of the files only' - --issues - --input-format csv
  usage "--warm-bytes: '2MX'; expected bytes, such as" "$table" --warm-bytes 2MX
  usage "--memory-bandwidth: 'fast'; expected bytes" "$table" --memory-bandwidth fast
  usage "--issues-per-round: '-1' is not a number" "$table" --issues-per-round -1
  usage "--seed: 'x' is not a number" "$table" --seed x
  usage '--seed: 18446744073709551616 is too large' "$table" --seed 18446744073709551616
  local bound
  for bound in '' us 5h -5us 1e3 5.us; do
    usage "--standalone-bound: '$bound'; expected a number in the unit of the rounds" \
      "$table" "--standalone-bound=$bound"
  done
  local gain
  for gain in '' x 0.00001 0.12345 100.0001 -1 1e-1; do
    usage "--least-gain: '$gain'; expected a percentage from 0 to 100" "$table" "--least-gain=$gain"
  done
  # What the library refuses is the command line's fault where that gave it.
  usage '--confidence: 49; expected 50 to 99$' "$table" --confidence 49
  usage '--confidence: 100; expected 50 to 99$' "$table" --confidence 100
  usage '--resamples: 199; expected 200 to 100000$' "$table" --resamples 199
  usage '--least-rounds: 1; expected 2 to 4294967295$' "$table" --least-rounds 1
  usage '--least-rounds: 4294967296 is too large; the largest value accepted is 4294967295$' \
    "$table" --least-rounds 4294967296
  usage "--format: 'yaml' is no format" "$table" --format yaml
  usage 'cannot tell the format from the name' "$table" -o "$tmp/a.unknown"
  usage "--input-format: 'yaml' is no format" "$request" --input-format yaml
}

# Medians and p90s counted by sort: of 60 rounds the 30th and the 54th. 999.5 of 34,423.7 us are
# 2.90 %, half a percent of them 172.1.
table_by_hand() {
  run 0 judge "$table"
  lines "$tmp/err" 0
  expect "$tmp/out" "^$table: ship\$"
  expect "$tmp/out" '^least gain    172\.1 us, 0\.50 % of the median without the warm$'
  local arm sorted median p90
  for arm in without with; do
    sorted=$(grep "^$arm," "$table" | cut -d, -f2 | sort -n)
    median=$(sed -n 30p <<<"$sorted" | sed 's/^\(..\)\(...\.\)/\1,\2/')
    p90=$(sed -n 54p <<<"$sorted" | sed 's/^\(..\)\(...\.\)/\1,\2/')
    expect "$tmp/out" "^ +0  $arm +60 +0  $median  \[3.,...\.., 3.,...\..\]  3.,...\..  $p90\$"
  done
  expect "$tmp/out" '^   0  median +-999\.5  \[-[0-9.,]+, -[0-9.]+\]  -2\.90  \[-[0-9.]+, -[0-9.]+\]$'
  expect "$tmp/out" '^bandwidth     not known$'
  expect "$tmp/out" '^- Whether the warm pulled from memory'
  run 0 judge "$table" --least-gain 50
  expect "$tmp/out" "^$table: do not ship\$"
  expect "$tmp/out" '^least gain    17,211\.9 us, 50\.00 % of'
}

# Both forms, all units, any order of arms: one answer.
forms() {
  local unit
  run 0 judge "$table" -o "$tmp/a.binpb"
  lines "$tmp/out" 0
  expect "$tmp/err" "^$table: ship\$"
  for unit in ns:1000 ms:0.001 s:0.000001; do
    awk -F, -v f="${unit#*:}" 'NR > 1 { printf "%s,%.9f\n", $1, $2 * f }' "$table" >"$tmp/rows"
    { echo "arm,time_${unit%:*}" && cat "$tmp/rows"; } >"$tmp/a.csv"
    run 0 judge "$tmp/a.csv" -o "$tmp/b.binpb"
    same "$tmp/a.binpb" "$tmp/b.binpb" "rounds in ${unit%:*} are judged otherwise"
    { echo 'arm,time' && cat "$tmp/rows"; } >"$tmp/a.csv"
    run 0 judge "$tmp/a.csv" --unit "${unit%:*}" -o "$tmp/b.binpb"
    same "$tmp/a.binpb" "$tmp/b.binpb" "rounds with --unit ${unit%:*} are judged otherwise"
  done
  sed 's/^without,/cold,/; s/^with,/1,/; s/$/\r/' "$table" >"$tmp/a.csv"
  run 0 judge - --input-format csv -o "$tmp/b.binpb" <"$tmp/a.csv"
  same "$tmp/a.binpb" "$tmp/b.binpb" 'other names of arms are judged otherwise'
  expect "$tmp/err" '^<stdin>: ship$'
  { echo 'card,without_us,with_us' &&
    paste -d, <(grep '^without,' "$table" | sed 's/^without/0/') \
      <(sed -n 's/^with,//p' "$table"); } >"$tmp/a.csv"
  run 0 judge "$tmp/a.csv" -o "$tmp/b.binpb"
  same "$tmp/a.binpb" "$tmp/b.binpb" 'rounds in pairs are judged otherwise'
  run 0 judge "$tmp/a.csv" --interleaved
  expect "$tmp/out" '^intervals     95 %, from 2,000 resamples of interleaved rounds$'
  run 0 convert "$tmp/a.binpb" --message JudgeWarmResponse
  expect "$tmp/out" '^verdict: SHIP_VERDICT_SHIP$'
  # 34423.7 us.
  expect "$tmp/out" 'median \{ value: 34423700 '
  run 0 judge "$table" --format json
  expect "$tmp/out" '"verdict": "SHIP_VERDICT_SHIP"'
}

options() {
  run 0 judge "$table" --confidence 90 --resamples 500 --seed 7
  expect "$tmp/out" '^intervals     90 %, from 500 resamples$'
  run 0 judge "$table" --seed 8 --format text
  cp "$tmp/out" "$tmp/8"
  run 0 judge "$table" --seed 9 --format text
  checks=$((checks + 1))
  cmp -s "$tmp/8" "$tmp/out" && fail 'two seeds give the same intervals'
  run 0 judge "$table" --least-rounds 61
  expect "$tmp/out" "^$table: measure more: about [0-9]+ more rounds? of each arm would settle it\$"
  expect "$tmp/out" '^- Of the rounds without the warm only 60 count after the start-up; at least 61'
  # 120 us is less than surely was gained: by a number, in the unit of the rounds, and by others.
  local bound
  for bound in 120 120.0 120us 120000ns 0.12ms; do
    run 0 judge "$table" --standalone-bound "$bound"
    expect "$tmp/out" 'recover only 120\.0 us'
    expect "$tmp/out" "^$table: measure more: more rounds alone would not settle it\$"
  done
  run 0 judge "$table" --standalone-bound 5000us
  expect "$tmp/out" "^$table: ship\$"
  run 0 judge "$request" --standalone-bound 12
  expect "$tmp/out" 'recover only 0\.01 us'
}

# 96 MiB in 352.5 us are 285.6 GB/s; in 34.7 us 2,900 GB/s, more than the memory has.
issues() {
  { echo duration_us && series x 60 352.5 | cut -d, -f2; } >"$tmp/i.csv"
  local with=(--issues "$tmp/i.csv" --warm-bytes 96MiB --memory-bandwidth 1600GB)
  run 0 judge "$table" "${with[@]}" --issues-per-round 1
  expect "$tmp/out" '^bandwidth     285\.6 GB/s, the median issue in 352\.500 us$'
  expect "$tmp/out" '^ +60 issues of 100\.7 MB$'
  expect "$tmp/out" "^ +0 faster than the memory's 1,600\.0 GB/s\$"
  expect "$tmp/out" '^suspicious    nothing$'
  { echo duration_us && series x 60 352.5 352.5 34.7 | cut -d, -f2; } >"$tmp/i.csv"
  run 0 judge "$table" "${with[@]}"
  expect "$tmp/out" "^$table: measure more: more rounds alone would not settle it\$"
  expect "$tmp/out" '^- 20 of 60 issues \(33\.3 %\) were faster than the memory, which does 1,600\.0'
  expect "$tmp/out" '^suspicious    nothing else$'
  # Of 40 slow rounds, each with two issues, none counts.
  { echo arm,time_us && series without 100 999 1000 1001 && series with 40 2000 &&
    series with 60 979 980 981; } >"$tmp/a.csv"
  { echo duration_us && series x 200 352.5 | cut -d, -f2; } >"$tmp/j.csv"
  run 0 judge "$tmp/a.csv" "${with[@]}" --issues "$tmp/j.csv" --issues-per-round 2
  expect "$tmp/out" '^   0  with +100   40 '
  expect "$tmp/out" '^ +120 issues of 100\.7 MB after 80 issues of the start-up$'
  sed 's/duration_us/duration/' "$tmp/i.csv" >"$tmp/j.csv"
  run 0 judge "$table" "${with[@]}" --issues "$tmp/j.csv" --unit us
  expect "$tmp/out" '^- 20 of 60 issues'
  run 1 judge "$table" --issues "$tmp/j.csv"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/j.csv:1: column 'duration' does not tell its unit; expected duration_us"
  echo x >>"$tmp/i.csv"
  run 1 judge "$table" --issues "$tmp/i.csv"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/i.csv:62: duration_us: 'x' is no time in us"
  run 1 judge "$table" --issues "$tmp/missing.csv"
  expect "$tmp/err" "^$tmp/missing.csv: No such file"
}

# 1,000 us against 1,000, 1,030 and 995: no effect, a loss, just the least gain.
verdicts() {
  { echo arm,time_us && series without 90 999 1000 1001 && series with 90 1001 1000 999; } \
    >"$tmp/a.csv"
  run 0 judge "$tmp/a.csv"
  expect "$tmp/out" ': do not ship$'
  expect "$tmp/out" '^- At best the median gains .*; the least gain is 5\.00 us \(0\.50 %\)\.$'
  { echo arm,time_us && series without 90 999 1000 1001 && series with 90 1029 1030 1031; } \
    >"$tmp/a.csv"
  run 0 judge "$tmp/a.csv"
  expect "$tmp/out" ': do not ship$'
  expect "$tmp/out" '^- Even at best the median loses (29|30)\.[0-9]+ us of a round'
  { echo arm,time_us && series without 90 900 1000 1100 && series with 90 895 995 1095; } \
    >"$tmp/a.csv"
  run 0 judge "$tmp/a.csv"
  expect "$tmp/out" ': measure more'
  expect "$tmp/out" "^- The interval of the mean's change, with two more rounds as slow as the slow"
}

cards() {
  { echo card,arm,time_us &&
    for card in 3 1 2; do
      series "$card,without" 60 1000 1001 "$((1000 + card))"
      series "$card,with" 60 970 971 "$((970 + card))"
    done; } >"$tmp/a.csv"
  run 0 judge "$tmp/a.csv"
  expect "$tmp/out" '^decides       card 1, the fastest of 3$'
  expect "$tmp/out" '^   3  with +60 '
  { echo card,arm,time_us && series 0,without 60 1000 && series 0,with 59 970; } >"$tmp/a.csv"
  run 1 judge "$tmp/a.csv" --interleaved
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/a.csv: card 0: 60 rounds without the warm, 59 with it; --interleaved exp"
  run 0 judge "$tmp/a.csv"
}

wrong_tables() {
  run 1 judge "$tmp/missing.csv"
  expect "$tmp/err" "^$tmp/missing.csv: No such file"
  refused '1: no header line; expected the columns \[card,\]arm,time_us' ''
  refused "1: column 'round' is not known; expected \[card" round,arm,time_us
  refused "1: column 'time' does not tell its unit; expected time_us, or --unit\$" arm,time with,1
  refused '1: no rounds; expected some below the header$' arm,time_us
  refused "3: arm: 'warmed' is no arm; expected with, warm or 1" arm,time_us with,1 warmed,1
  refused "2: time_us: '1e3' is no time in us; expected a number" arm,time_us with,1e3
  refused '3: 3 cells; expected 2: arm,time_us$' arm,time_us with,1 with,34,423
  refused '3: card 1 has no round without the warm' card,without_us,with_us 0,1,1 1,,1
  # A binary file that is called a table.
  printf 'arm,time_us\nwith,\x00\xff\n' >"$tmp/a.csv"
  run 1 judge "$tmp/a.csv"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/a.csv:2: time_us: '\?\?' is no time"
}

requests() {
  run 0 judge "$request"
  expect "$tmp/out" "^$request: ship\$"
  expect "$tmp/out" '^ +60 issues of 100\.7 MB$'
  run 0 judge "$request" -o "$tmp/1.binpb"
  local format
  for format in json binpb; do
    run 0 convert "$request" -o "$tmp/r.$format"
    run 0 judge "$tmp/r.$format" -o "$tmp/2.binpb"
    same "$tmp/1.binpb" "$tmp/2.binpb" "a request in $format is judged otherwise"
  done
  run 1 judge "$(fixture two-weights.txtpb)"
  expect "$tmp/err" "holds a 'torqsched.v1.PlanWarmRequest'; expected torqsched.v1.JudgeWarmRequest"
  run 1 judge - <"$table"
  lines "$tmp/err" 1
  expect "$tmp/err" '^<stdin>: looks like CSV; use --input-format csv$'
  printf 'series { times: [1, x] }' >"$tmp/a.txtpb"
  run 1 judge "$tmp/a.txtpb"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/a.txtpb:1:21: "
  printf 'series { times: [1, 0] }' >"$tmp/a.txtpb"
  run 1 judge "$tmp/a.txtpb"
  expect "$tmp/err" "^$tmp/a.txtpb: series\[0\].times\[1\]: 0 time units; expected 1 to"
  printf 'series { times: 1 } series { warmed: true times: 1 } options { confidence_percent: 3 }' \
    >"$tmp/a.txtpb"
  run 1 judge "$tmp/a.txtpb"
  expect "$tmp/err" "^$tmp/a.txtpb: options.confidence_percent: 3; expected 50 to 99\$"
  run 0 judge "$tmp/a.txtpb" --confidence 80
  # Its own unit; then a bound has none.
  printf 'series { times: 1000 } series { warmed: true times: 900 } options { units_per_second: 9 }' \
    >"$tmp/a.txtpb"
  run 0 judge "$tmp/a.txtpb"
  expect "$tmp/out" '^Rounds, in units; '
  usage "--standalone-bound: '5us'; expected a number in the unit of the rounds" \
    "$tmp/a.txtpb" --standalone-bound 5us
}

pictures() {
  run 0 judge "$table" --svg "$tmp/a.svg"
  run 0 judge "$table" --svg "$tmp/b.svg"
  same "$tmp/a.svg" "$tmp/b.svg" 'two pictures of the same rounds'
  expect "$tmp/a.svg" '>median 34,423\.7 -&gt; 33,424\.2 us \(-2\.90 %\)<'
  expect "$tmp/a.svg" '^</svg>$'
  checks=$((checks + 1))
  python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$tmp/a.svg" ||
    fail 'the picture is no XML'
  run 3 judge "$table" --svg "$tmp/no such directory/a.svg"
}

help_fits_a_screen
wrong_usage
table_by_hand
forms
options
issues
verdicts
cards
wrong_tables
requests
pictures
finish
