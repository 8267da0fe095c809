#!/bin/bash
# The command line from outside: exit statuses, what goes to which stream, the line that an error
# makes, formats, and schedules that the checker accepts.
#
#   command_line_test.sh TORQSCHED FIXTURE...
set -u

torqsched=$1
shift
fixtures=("$@")
. "$(dirname "$0")/checks.sh"

fixture() {
  local file
  for file in "${fixtures[@]}"; do
    case $file in */"$1".*) echo "$file" && return ;; esac
  done
  fail "no fixture $1"
}

example=$(fixture worked-example-1)
mobilenet=$(fixture mobilenet-v2-int8.whole)

help_fits_a_screen() {
  local command
  for command in "" schedule simulate verify allocate convert; do
    run 0 $command --help
    checks=$((checks + 1))
    [ "$(wc -l <"$tmp/out")" -le 24 ] || fail "help of '$command' has more than 24 lines"
    [ "$(wc -L <"$tmp/out")" -le 80 ] || fail "help of '$command' has more than 80 columns"
    lines "$tmp/err" 0
  done
  run 0 --version
  expect "$tmp/out" '^torqsched [0-9]+\.[0-9]+\.[0-9]+$'
}

usage() {
  run 2
  run 2 paint
  expect "$tmp/err" "no command 'paint'"
  run 2 schedule
  run 2 schedule "$example" "$example"
  run 2 schedule --frobnicate "$example"
  expect "$tmp/err" "^torqsched schedule: no option --frobnicate$"
  run 2 schedule "$example" --cap-percent
  run 2 schedule "$example" --cap-percent ten
  run 2 schedule "$example" --cap-percent -1
  expect "$tmp/err" "--cap-percent: '-1' is not a number"
  run 2 schedule "$example" --explain=yes
  run 2 schedule "$example" --strategy magic
  expect "$tmp/err" "expected none, stream-schedule, optimize$"
  run 2 schedule "$example" --work-limit many
  expect "$tmp/err" "--work-limit: 'many' is not a number"
  run 2 schedule "$example" --time-limit-ms -5
  run 2 schedule "$example" --no-swaps=1
  run 2 schedule "$example" --oracle host
  expect "$tmp/err" "expected sequential, offline"
  run 2 schedule "$example" --hardware sl9999
  expect "$tmp/err" "sl2610"
  run 2 schedule "$example" --format yaml
  run 2 schedule "$example" -o "$tmp/response.unknown"
  run 2 schedule "$example" --message Hardware
  run 2 verify - -
  run 2 convert "$example" --message Nonsense
  lines "$tmp/out" 0
}

# An option that needs a value does not take the next option for it.
forgotten_values() {
  run 2 schedule --hardware --explain "$example"
  expect "$tmp/err" "--hardware wants a value, NAME\|FILE, but got another option, --explain$"
  run 2 schedule "$example" --strategy --oracle=offline
  expect "$tmp/err" "--strategy wants a value, NAME, but got another option, --oracle=offline$"
  run 2 schedule "$example" --svg -o "$tmp/response.binpb"
  expect "$tmp/err" "--svg wants a value, FILE, but got another option, -o$"
  run 2 allocate --capacity -- "$example"
  # Behind "=" it is a value.
  run 2 schedule "$example" --hardware=--explain
  expect "$tmp/err" "no profile '--explain'"
}

numbers_too_large() {
  local option
  for option in work-limit time-limit-ms urgent-starts candidates; do
    run 2 schedule "$example" --strategy optimize --$option 18446744073709551616
    expect "$tmp/err" "--$option: 18446744073709551616 is too large; .* is 18446744073709551615$"
  done
  for option in cap-percent prefetch-percent; do
    run 2 schedule "$example" --$option 18446744073709551616
    expect "$tmp/err" "--$option: 18446744073709551616 is too large; .* is 100$"
  done
  run 2 allocate "$example" --nodes 99999999999999999999999
  expect "$tmp/err" "--nodes: 9+ is too large; .* is 18446744073709551615$"
  run 0 schedule "$example" --urgent-starts 18446744073709551615
}

# The library finds fault with a field of the request; the line names what set it, too.
options_beside_fields() {
  local option
  for option in cap prefetch; do
    run 2 schedule "$example" --$option-percent=101
    expect "$tmp/err" "^torqsched schedule: --$option-percent: 101 is too large; .* is 100\$"
  done
  run 2 schedule "$example" --candidates 0
  expect "$tmp/err" "--candidates \(options.candidates\): 0; expected at least 1$"
  local command
  for command in schedule simulate allocate; do
    run 2 $command "$example" --hardware sl9999
    expect "$tmp/err" "^torqsched $command: --hardware \(hardware.profile\): no profile 'sl9999'"
  done
}

# What the search alone heeds is refused where there is none.
search_options_need_the_search() {
  local strategy option
  for strategy in "" "--strategy stream-schedule" "--strategy none"; do
    for option in work-limit time-limit-ms; do
      run 2 schedule "$example" $strategy --$option 5
      expect "$tmp/err" "^torqsched schedule: --$option needs --strategy optimize; "
    done
    run 2 schedule "$example" $strategy --robust
    expect "$tmp/err" \
      "^torqsched schedule: --robust \(options.robust\): needs the search of --strategy optimize "
    expect "$tmp/err" "or --sensitivity \(options.sensitivity\)"
    lines "$tmp/out" 0
  done
  # The file may name the strategy; and it may keep limits for another day.
  { cat "$example" && printf 'options { strategy: STRATEGY_OPTIMIZE }\n'; } >"$tmp/search.txtpb"
  run 0 schedule "$tmp/search.txtpb" --work-limit 5 --time-limit-ms 60000
  run 2 schedule "$tmp/search.txtpb" --work-limit 5 --strategy none
  { cat "$example" && printf 'options { work_limit: 5 time_limit_ms: 5 }\n'; } >"$tmp/kept.txtpb"
  run 0 schedule "$tmp/kept.txtpb"
}

input_at_fault() {
  run 1 schedule "$tmp/missing.txtpb"
  expect "$tmp/err" "^$tmp/missing.txtpb: No such file"
  lines "$tmp/err" 1

  printf 'stream {\n  ops { kind: OP_KIND_NAP }\n}\n' >"$tmp/bad.txtpb"
  run 1 schedule "$tmp/bad.txtpb"
  expect "$tmp/err" "^$tmp/bad.txtpb:2:[0-9]+: .*OP_KIND_NAP"
  lines "$tmp/err" 1

  printf '{"stream": {\n  "ops": [\n    {"kind": "OP_KIND_NAP"}]}}\n' >"$tmp/bad.json"
  run 1 schedule "$tmp/bad.json"
  expect "$tmp/err" "^$tmp/bad.json:3:6: .*OP_KIND_NAP"
  printf '{"stream": {\n  "opps": []}}\n' >"$tmp/bad.json"
  run 1 schedule "$tmp/bad.json"
  expect "$tmp/err" "^$tmp/bad.json:2:3: .*opps"
  printf '{"stream": {\n  "ops": [} }\n' >"$tmp/bad.json"
  run 1 schedule "$tmp/bad.json"
  expect "$tmp/err" "^$tmp/bad.json:2:11: "
  lines "$tmp/err" 1

  printf 'stream { name: "\\377" }' >"$tmp/bad.txtpb"
  run 1 convert "$tmp/bad.txtpb" --format binary
  expect "$tmp/err" "^$tmp/bad.txtpb: a string is no UTF-8$"

  head -c 50 "$example" >"$tmp/bad.binpb"
  run 1 schedule "$tmp/bad.binpb"
  expect "$tmp/err" "^$tmp/bad.binpb: no torqsched.v1.ScheduleRequest in binary format$"

  sed 's/start: 1 /start: 6 /' "$example" >"$tmp/wrong.txtpb"
  run 1 schedule "$tmp/wrong.txtpb"
  expect "$tmp/err" "^$tmp/wrong.txtpb: op 2 'wait P1': "
  lines "$tmp/err" 1
  lines "$tmp/out" 0
  run 1 simulate - <"$tmp/wrong.txtpb"
  expect "$tmp/err" "^<stdin>: op 2 'wait P1': "

  printf '# proto-message: torqsched.v1.Hardware\nslices: 65\n' >"$tmp/chip.txtpb"
  run 1 schedule "$tmp/chip.txtpb"
  expect "$tmp/err" "^$tmp/chip.txtpb: holds a 'torqsched.v1.Hardware'"
  run 1 schedule "$example" --hardware "$tmp/chip.txtpb"
  expect "$tmp/err" "^$tmp/chip.txtpb: hardware.slices: "
}

ours() {
  run 3 schedule "$example" -o "$tmp/no/such/folder.binpb"
  expect "$tmp/err" "^torqsched schedule: $tmp/no/such/folder.binpb: No such file"
}

outputs() {
  run 0 schedule "$example"
  expect "$tmp/out" "^makespan +410 -> 250 cycles   -39.0 %"
  lines "$tmp/err" 0
  run 0 schedule "$example" --format text
  expect "$tmp/out" "^# proto-message: torqsched.v1.ScheduleResponse$"
  expect "$tmp/err" "^makespan +410 -> 250"
  run 0 schedule "$example" -o "$tmp/response.json" --explain --timeline --svg "$tmp/picture.svg"
  lines "$tmp/out" 0
  expect "$tmp/err" "start P2 -> s1 \(161\)"
  expect "$tmp/err" "^s1 .*P2"
  expect "$tmp/response.json" '"steps"'
  expect "$tmp/response.json" '"timeline"'
  expect "$tmp/picture.svg" "scheduled: 250 cycles"
  run 0 schedule "$example" --format json --svg "$tmp/picture.svg"
  checks=$((checks + 1))
  grep -q timeline "$tmp/out" && fail "a timeline that nobody asked for"
  run 0 schedule "$example" --strategy none
  expect "$tmp/out" "the input order stays"

  run 0 simulate "$example"
  expect "$tmp/out" "^makespan +410 cycles"
  run 0 simulate "$example" "$tmp/response.json" --format binary
  expect "$tmp/err" "^makespan +250 cycles"
}

# Whatever the form of the stream: a request or a stream alone, in three formats, with a name or not.
forms() {
  sed -n '/^stream {$/,/^}$/p' "$example" | sed '1d;$d' >"$tmp/bare.txtpb"
  "$torqsched" convert "$tmp/bare.txtpb" --message Stream -o "$tmp/bare.json"
  "$torqsched" convert "$tmp/bare.txtpb" --message Stream -o "$tmp/bare.binpb"
  local chip="$tmp/small.txtpb"
  printf 'lram_bytes: 1000 lram_reserved_bytes: 0 alignment: 1' >"$chip"
  run 0 schedule "$tmp/bare.txtpb" --hardware "$chip"
  expect "$tmp/out" "of 1,000 usable bytes"
  run 0 schedule "$tmp/bare.json" --hardware "$chip"
  expect "$tmp/out" "410 -> 250"
  run 0 schedule "$tmp/bare.binpb" --hardware "$chip" --message torqsched.v1.Stream
  expect "$tmp/out" "410 -> 250"
  run 0 schedule - --hardware "$chip" <"$tmp/bare.json"
  expect "$tmp/out" "410 -> 250"
  "$torqsched" convert "$example" --format binary >"$tmp/example"
  run 0 schedule "$tmp/example" --input-format binary
  expect "$tmp/out" "410 -> 250"
  run 0 schedule -- - <"$tmp/example"
  expect "$tmp/out" "410 -> 250"
}

round_trips() {
  local file name
  for file in "${fixtures[@]}"; do
    name=$(basename "$file")
    run 0 convert "$file" -o "$tmp/1.txtpb"
    run 0 convert "$tmp/1.txtpb" -o "$tmp/2.json"
    run 0 convert "$tmp/2.json" -o "$tmp/3.binpb"
    run 0 convert "$tmp/3.binpb" -o "$tmp/4.txtpb"
    same "$tmp/1.txtpb" "$tmp/4.txtpb" "$name: text, JSON, binary, text changes it"
    case $name in
      *.txtpb) same "$tmp/1.txtpb" "$file" "$name: not laid out as convert does" ;;
      *.binpb) same "$tmp/3.binpb" "$file" "$name: other bytes than convert makes" ;;
    esac
    checks=$((checks + 1))
    [ "$(wc -L <"$tmp/1.txtpb")" -le 100 ] || fail "$name: text has more than 100 columns"
  done
}

schedules_hold() {
  local file name
  for file in "${fixtures[@]}"; do
    name=$(basename "$file")
    run 0 schedule "$file" -o "$tmp/response.binpb"
    run 0 verify "$file" "$tmp/response.binpb"
    expect "$tmp/out" "^$tmp/response.binpb: holds\."
  done
  "$torqsched" schedule "$mobilenet" --format binary 2>/dev/null >"$tmp/piped"
  run 0 verify "$mobilenet" - <"$tmp/piped"
}

# P3 reads its weights and P1's output.
regions_and_banks() {
  local chip="$tmp/banks.txtpb" oracle
  printf 'lram_bytes: 1000 lram_reserved_bytes: 0 alignment: 1 region_bytes: [500, 500] %s' \
    'bank_bytes: 500' >"$chip"
  for oracle in sequential offline; do
    run 0 schedule "$example" --hardware "$chip" --oracle "$oracle" -o "$tmp/answer.txtpb"
    expect "$tmp/err" "^banks +[0-9]+ conflicts? "
    expect "$tmp/answer.txtpb" "^ *bank_conflicts: [0-9]+$"
    run 0 verify "$example" "$tmp/answer.txtpb" --hardware "$chip"
  done
  expect "$tmp/answer.txtpb" "^ *bank_conflicts: 0$"
  sed 's/bank_conflicts: 0/bank_conflicts: 1/' "$tmp/answer.txtpb" >"$tmp/wrong.txtpb"
  run 1 verify "$example" "$tmp/wrong.txtpb" --hardware "$chip"
  expect "$tmp/out" "^$tmp/wrong.txtpb: bank conflicts are 0, claimed are 1$"
  printf 'lram_bytes: 1000 lram_reserved_bytes: 0 region_bytes: [500, 501]' >"$chip"
  run 1 schedule "$example" --hardware "$chip"
  expect "$tmp/err" "hardware.region_bytes: the regions have 1001 bytes; expected all 1000 "
  printf 'lram_bytes: 1000 lram_reserved_bytes: 0 region_bytes: [99, 99, 802]' >"$chip"
  run 0 allocate "$example" --hardware "$chip"
}

# Each flag of the search, on the line or in the file, and the answers that come with it.
searches() {
  run 0 schedule "$example" --strategy optimize --work-limit 1000 --time-limit-ms 60000 --robust \
    -o "$tmp/response.txtpb"
  expect "$tmp/err" "^makespan +410 -> [0-9]+ cycles"
  run 0 verify "$example" "$tmp/response.txtpb"
  run 0 schedule "$example" --strategy optimize --work-limit 0 --timeline
  expect "$tmp/out" "^makespan +410 -> 250 cycles"
  { cat "$example" && printf 'options { strategy: STRATEGY_OPTIMIZE work_limit: 0 }\n'; } \
    >"$tmp/search.txtpb"
  run 0 schedule "$tmp/search.txtpb" --robust
  { cat "$example" && printf 'options { robust: true }\n'; } >"$tmp/robust.txtpb"
  run 1 schedule "$tmp/robust.txtpb"
  expect "$tmp/err" "^$tmp/robust.txtpb: options.robust: needs the search of strategy OPTIMIZE"
  run 0 schedule "$tmp/robust.txtpb" --strategy optimize --work-limit 0
}

# What a summary says of the search where there was one, and where there was none.
search_remarks() {
  local mac11 optimize="--strategy optimize"
  mac11=$(fixture gemma3-1b-decode-int4.block-mac11)
  run 0 schedule "$example" --strategy none
  expect "$tmp/out" "^search +none: strategy none keeps the input order$"
  run 0 schedule "$mac11"
  expect "$tmp/out" "^search +none: strategy stream-schedule; strategy optimize searches for less$"
  run 0 schedule "$example"
  expect "$tmp/out" "^search +none, and none needed: proven optimal$"
  run 0 schedule "$example" $optimize
  expect "$tmp/out" "^search +none needed: proven optimal before it would begin$"
  checks=$((checks + 1))
  [ "$(wc -l <"$tmp/out")" -le 24 ] || fail "a summary of more than 24 lines"
  run 0 schedule "$mac11" $optimize --work-limit 0
  expect "$tmp/out" "^search +none: the work limit is 0$"
  run 0 schedule "$mac11" $optimize
  expect "$tmp/out" "^search +[0-9,]+ nodes, .* improvements; ended: proven optimal$"
  run 0 schedule "$mac11" $optimize --work-limit 1000
  expect "$tmp/out" "^ +stopped at the work limit: "
  checks=$((checks + 1))
  grep -q "ended" "$tmp/out" && fail "two ends of one search"
  run 0 schedule "$mac11" $optimize --time-limit-ms 0
  expect "$tmp/out" "^ +stopped at the time limit: "
  printf 'stream {}' >"$tmp/empty.txtpb"
  run 0 schedule "$tmp/empty.txtpb" $optimize
  expect "$tmp/out" "^search +none needed: the stream has no ops$"
}

# The worst of nine prices decides between what searches find: a slower order may be the answer.
robust_verdicts() {
  local robust="--strategy optimize --robust --work-limit 100000"
  run 0 schedule "$mobilenet" $robust
  expect "$tmp/out" "^   2  .*  worst case not better$"
  expect "$tmp/out" "^robust: pass 2 compares by the worst of nine prices, "
  checks=$((checks + 1))
  grep -Eq "^   2  .*not faster|not the fastest" "$tmp/out" && fail "a robust run by its makespans"
  checks=$((checks + 1))
  [ "$(wc -L <"$tmp/out")" -le 120 ] || fail "a line of more than 120 columns"
  # A proof is about cycles: the search goes on beyond it.
  run 0 schedule "$(fixture worked-example-2)" --strategy optimize --robust --work-limit 20000
  expect "$tmp/out" "^lower bound .* proven optimal"
  expect "$tmp/out" "^search +[0-9,]+ nodes, .*; ended by itself$"
  run 0 schedule "$mobilenet" --strategy optimize --work-limit 100000
  checks=$((checks + 1))
  grep -q "worst" "$tmp/out" && fail "a worst case that decided nothing"
}

sensitivity() {
  run 0 schedule "$example" --sensitivity --svg "$tmp/picture.svg"
  expect "$tmp/out" "^off by +transfers +programs$"
  expect "$tmp/out" "^ -20 % +240  -4\.0 % +210  -16\.0 %$"
  expect "$tmp/out" "^ \+20 % +260  \+4\.0 % +290  \+16\.0 %$"
  run 0 schedule "$example" --sensitivity --format text
  expect "$tmp/out" "^sensitivity \{ dma_percent: -20 makespan: 240 \}$"
  run 0 schedule "$example"
  checks=$((checks + 1))
  grep -q "off by" "$tmp/out" && fail "prices that nobody asked for"
}

# Two buffers of 60 bytes in 100, between barriers: only swaps make that possible.
no_swaps() {
  cat >"$tmp/full.txtpb" <<'END'
stream {
  buffers { space: SPACE_LRAM size: 60 }
  buffers { space: SPACE_LRAM size: 60 }
  ops { kind: OP_KIND_LOAD cycles: 60 accesses { buffer: 0 mode: ACCESS_MODE_WRITE } }
  ops { kind: OP_KIND_LOAD cycles: 60 accesses { buffer: 1 mode: ACCESS_MODE_WRITE } }
  ops { kind: OP_KIND_BARRIER }
  ops { kind: OP_KIND_STORE cycles: 60 accesses { buffer: 0 mode: ACCESS_MODE_READ } }
  ops { kind: OP_KIND_BARRIER }
  ops { kind: OP_KIND_STORE cycles: 60 accesses { buffer: 1 mode: ACCESS_MODE_READ } }
}
hardware { lram_bytes: 100 lram_reserved_bytes: 0 }
END
  run 0 schedule "$tmp/full.txtpb"
  expect "$tmp/out" "^swaps +[1-9]"
  checks=$((checks + 1))
  grep -q "NOT PLACED" "$tmp/out" && fail "a placed answer that is called not placed"
  run 0 schedule "$tmp/full.txtpb" --format text
  expect "$tmp/out" "placed: true"
  run 0 schedule "$tmp/full.txtpb" --no-swaps -o "$tmp/response.txtpb"
  head -4 "$tmp/err" >"$tmp/first_lines"
  expect "$tmp/first_lines" "^NOT PLACED +no order .* placed in LRAM without swaps: there are no offsets"
  checks=$((checks + 1))
  grep -q "placed: true" "$tmp/response.txtpb" && fail "placement.placed is set"
  expect "$tmp/err" "^placement +not placed in LRAM: full at op 1"
  run 0 verify "$tmp/full.txtpb" "$tmp/response.txtpb"
  run 0 schedule "$tmp/full.txtpb" --no-swaps --strategy none --svg "$tmp/picture.svg"
  expect "$tmp/out" "^placement +not placed in LRAM: full at op 1"
  run 0 schedule --help
  expect "$tmp/out" "the response's placement.placed is then unset"
  run 0 --help
  expect "$tmp/out" "ends with 0 also if nothing can be placed: .* placement.placed"
}

wrong_answers_do_not() {
  # L3 and wait P1 change places, and P3 starts before P1 is done.
  "$torqsched" schedule "$example" -o "$tmp/good.txtpb" 2>/dev/null
  sed 's/^order: .*/order: [0, 1, 3, 4, 6, 7, 2, 5, 8, 9]/' "$tmp/good.txtpb" >"$tmp/wrong.txtpb"
  run 1 verify "$example" "$tmp/wrong.txtpb"
  expect "$tmp/out" "^$tmp/wrong.txtpb: op [0-9]+ '.*': "
  expect "$tmp/err" "^$tmp/wrong.txtpb: [0-9]+ violations? on this hardware$"
  lines "$tmp/err" 1
  run 1 verify "$example" "$tmp/wrong.txtpb" --format text
  expect "$tmp/out" "^violations "
  sed 's/^order: .*/order: [0, 1]/' "$tmp/good.txtpb" >"$tmp/wrong.txtpb"
  run 1 simulate "$example" "$tmp/wrong.txtpb"
  expect "$tmp/err" "^$tmp/wrong.txtpb: "
}

help_fits_a_screen
usage
forgotten_values
numbers_too_large
options_beside_fields
search_options_need_the_search
input_at_fault
ours
outputs
forms
round_trips
schedules_hold
regions_and_banks
searches
search_remarks
robust_verdicts
sensitivity
no_swaps
wrong_answers_do_not

finish
