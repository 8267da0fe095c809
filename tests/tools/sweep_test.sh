#!/bin/bash
# `torqsched sweep` from outside: the table's rows, what another run computes again, the same bytes
# however many threads there are, points one by one, and what is said of mistakes.
#
#   sweep_test.sh TORQSCHED EDGE_CNN MLP GEMMA
set -u

torqsched=$1
edge=$2
mlp=$3
gemma=$4
. "$(dirname "$0")/checks.sh"

grid=("$edge" "$mlp" --lram 64KiB,256KiB --strategies none,stream_schedule)

# cell FILE LINE COLUMN: a cell of a table without quotes, by the column's name.
cell() {
  awk -F, -v line="$2" -v name="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
    NR == line { print $column }' "$1"
}

# is_cell LINE COLUMN VALUE: of $tmp/a/sweep.csv.
is_cell() {
  checks=$((checks + 1))
  local got
  got=$(cell "$tmp/a/sweep.csv" "$1" "$2")
  [ "$got" = "$3" ] || fail "line $1: $2 is '$got', expected '$3'"
}

files() { find "$1/points" -type f | wc -l; }

is_usage() {
  local message=$1
  shift
  run 2 sweep "$@"
  lines "$tmp/out" 0
  expect "$tmp/err" "^torqsched sweep: $message"
}

usage() {
  is_usage 'expected TABLE' --out "$tmp/u"
  is_usage 'expected --out DIR' "$edge"
  is_usage "--lram: '64KiX'; expected bytes" "$edge" --out "$tmp/u" --lram 32KiB,64KiX
  is_usage "--lram: ''; expected bytes" "$edge" --out "$tmp/u" --lram 32KiB,
  is_usage '--lram: 65536 bytes twice' "$edge" --out "$tmp/u" --lram 64KiB,65536
  is_usage "--budgets: '50'; expected LOOP:CONTRACTION" "$edge" --out "$tmp/u" --budgets 50
  is_usage "--budgets: '0:40'; expected" "$edge" --out "$tmp/u" --budgets 50:40,0:40
  is_usage "--budgets: '50:101'; expected" "$edge" --out "$tmp/u" --budgets 50:101
  is_usage '--budgets: 50:40:40 twice' "$edge" --out "$tmp/u" --budgets 50:40,50:40:40
  is_usage "--strategies: 'best' is not known; expected some of none, stream_schedule, optimize" \
    "$edge" --out "$tmp/u" --strategies none,best
  is_usage '--strategies: none twice' "$edge" --out "$tmp/u" --strategies none,none
  is_usage "--oracles: 'host' is not known; expected some of sequential, offline" \
    "$edge" --out "$tmp/u" --oracles host
  is_usage "--layers: '3'; expected FIRST:COUNT" "$edge" --out "$tmp/u" --layers 3
  is_usage '--work-limit needs optimize among --strategies' "$edge" --out "$tmp/u" --work-limit 7
  is_usage '--trials needs tuned among --budgets' "$edge" --out "$tmp/u" --trials 7
  is_usage '--jobs: 0; expected 1 to 1024' "$edge" --out "$tmp/u" --jobs 0
  is_usage '--hardware .*abacus' "$edge" --out "$tmp/u" --hardware abacus
  is_usage '--point: the options span 6 points' "$edge" --point "$tmp/u.json"
  is_usage '--point beside --out or --merge' "$edge" --point "$tmp/u.json" --out "$tmp/u"
  is_usage '--lram: points that are merged have theirs' x.json --merge --out "$tmp/u" --lram 1MiB
  mkdir -p "$tmp/other" && cp "$edge" "$tmp/other/edge_cnn.txt"
  is_usage ".* would both be called 'edge_cnn'" "$edge" "$tmp/other/edge_cnn.txt" --out "$tmp/u"
  [ -e "$tmp/u" ] && fail "a usage error made a directory"
}

rows() {
  run 0 sweep "${grid[@]}" --out "$tmp/a" --jobs 1
  lines "$tmp/err" 0
  expect "$tmp/out" '^points +0 of 8 points were there, 8 computed$'
  expect "$tmp/out" '^errors +0 points$'
  lines "$tmp/a/sweep.csv" 9
  checks=$((checks + 1))
  [ "$(files "$tmp/a")" = 8 ] || fail "$(files "$tmp/a") files of points, expected 8"
  local line=2 table strategy lram
  for table in edge_cnn mlp; do
    for strategy in none stream_schedule; do
      for lram in 65536 262144; do
        is_cell $line table $table
        is_cell $line strategy $strategy
        is_cell $line lram_bytes $lram
        is_cell $line budgets 50:40:40
        is_cell $line placed true
        line=$((line + 1))
      done
    done
  done
  expect "$tmp/a/sweep.svg" '^</svg>$'
  python3 - "$tmp/a" <<'PYTHON' || fail "CSV and JSON differ"
import csv, json, sys
with open(sys.argv[1] + "/sweep.csv") as file:
    rows = list(csv.DictReader(file))
with open(sys.argv[1] + "/sweep.json") as file:
    points = json.load(file)["points"]
text = lambda value: "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
assert len(rows) == len(points) == 8
for row, point in zip(rows, points):
    assert {key: text(value) for key, value in point.items()} == row, row
    assert point["gap_cycles"] == point["makespan"] - point["lower_bound"]
    assert point["makespan"] <= point["input_makespan"] or point["swaps"]
PYTHON
}

# A row says what `lower` and `schedule` say.
one_by_one() {
  printf 'profile: "sl2610" lram_bytes: 65536\n' >"$tmp/chip.txtpb"
  run 0 lower "$edge" --hardware "$tmp/chip.txtpb" -o "$tmp/edge.binpb"
  run 0 schedule "$tmp/edge.binpb" --format json
  expect "$tmp/out" "\"allocated_makespan\": \"$(cell "$tmp/a/sweep.csv" 4 makespan)\""
  expect "$tmp/out" "\"input_makespan\": \"$(cell "$tmp/a/sweep.csv" 4 input_makespan)\""
}

resumed() {
  local before kept
  run 0 sweep "${grid[@]}" --out "$tmp/a"
  expect "$tmp/out" '^points +8 of 8 points were there, 0 computed$'
  cp -r "$tmp/a" "$tmp/whole"
  # Three go: one is away, one is cut off, one is of something else.
  local points=("$tmp"/a/points/*.json)
  rm "${points[0]}"
  head -c 100 "$tmp/whole/points/$(basename "${points[3]}")" >"${points[3]}"
  cp "${points[4]}" "${points[5]}"
  rm "$tmp/a/sweep.csv"
  touch -d 2001-01-01 "${points[@]:1}"
  run 0 sweep "${grid[@]}" --out "$tmp/a" --jobs 2
  expect "$tmp/out" '^points +5 of 8 points were there, 3 computed$'
  checks=$((checks + 1))
  kept=$(find "$tmp/a/points" -type f ! -newermt 2002-01-01 | wc -l)
  [ "$kept" = 5 ] || fail "$kept points were left alone, expected 5"
  checks=$((checks + 1))
  diff -r "$tmp/a" "$tmp/whole" >&2 || fail "a sweep that was resumed is another one"
  # More of the grid: what there is stays.
  run 0 sweep "${grid[@]}" --out "$tmp/a" --lram 64KiB,128KiB,256KiB
  expect "$tmp/out" '^points +8 of 12 points were there, 4 computed$'
  # Another table of the same name is another point.
  sed 's/16777216/16777217/' "$mlp" >"$tmp/mlp.json"
  run 0 sweep "$edge" "$tmp/mlp.json" --lram 64KiB --out "$tmp/a"
  expect "$tmp/out" '^points +2 of 4 points were there, 2 computed$'
}

# Ctrl-C, as soon as there is a point: what was done is whole, and the rest is done afterwards. Where
# all was done before the signal came, that is fine as well.
interrupted() {
  local big=("$edge" "$mlp" --lram 64KiB,128KiB,256KiB,512KiB --budgets 50:40,tuned
    --strategies none,stream_schedule --trials 20)
  "$torqsched" sweep "${big[@]}" --out "$tmp/i" --jobs 1 >/dev/null 2>"$tmp/err" &
  local sweep=$! tries=0
  while [ $tries -lt 500 ] && ! ls "$tmp"/i/points/*.json >/dev/null 2>&1; do
    sleep 0.01
    tries=$((tries + 1))
  done
  kill -TERM $sweep
  wait $sweep
  local status=$?
  checks=$((checks + 1))
  case $status in
    143) expect "$tmp/err" '^torqsched sweep: interrupted; the same command goes on from here$' ;;
    0) ;;
    *) fail "an interrupted sweep ended with $status" ;;
  esac
  checks=$((checks + 1))
  find "$tmp/i" -name '*.tmp' | grep . && fail "files that are not whole were left"
  local there
  there=$(files "$tmp/i")
  run 0 sweep "${big[@]}" --out "$tmp/i"
  expect "$tmp/out" "^points +$there of 32 points were there, $((32 - there)) computed\$"
  run 0 sweep "${big[@]}" --out "$tmp/j" --jobs 4 --quiet
  lines "$tmp/out" 0
  lines "$tmp/err" 0
  checks=$((checks + 1))
  diff -r "$tmp/i" "$tmp/j" >&2 || fail "4 threads make another sweep"
}

odd_files() {
  # What is no file is written to, not replaced; of a link, what it leads to.
  mkfifo "$tmp/pipe"
  cat "$tmp/pipe" >"$tmp/from_pipe" &
  run 0 sweep "$mlp" --lram 64KiB --strategies none --point "$tmp/pipe"
  wait $!
  [ -p "$tmp/pipe" ] || fail "a pipe was replaced"
  run 0 sweep "$mlp" --lram 64KiB --strategies none --point "$tmp/point.json"
  checks=$((checks + 1))
  cmp "$tmp/from_pipe" "$tmp/point.json" >&2 || fail "another point came through a pipe"
  echo old >"$tmp/target.json"
  ln -s target.json "$tmp/link.json"
  run 0 sweep "$mlp" --lram 64KiB --strategies none --point "$tmp/link.json"
  [ -L "$tmp/link.json" ] || fail "a link was replaced"
  checks=$((checks + 1))
  cmp "$tmp/target.json" "$tmp/point.json" >&2 || fail "a link's target was not written"
}

# Whatever schedules a point, budgets that were found are never slower than those they began with.
never_slower() {
  run 0 sweep "$edge" "$mlp" --lram 64KiB,128KiB --budgets 50:40,tuned --trials 5 \
    --strategies none,stream_schedule,optimize --work-limit 300 --out "$tmp/n"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    { key = $column["table"] " " $column["strategy"] " " $column["lram_bytes"]
      budgets = $column["budgets"]; makespan = $column["makespan"] }
    budgets == "tuned" { tuned[key] = makespan }
    budgets != "tuned" { given[key] = makespan }
    END {
      for (key in given) {
        if (given[key] + 0 == 0 || tuned[key] + 0 == 0) print key ": no makespan"
        if (tuned[key] + 0 > given[key] + 0) print key ": " tuned[key] " after " given[key]
        ++pairs
        faster += tuned[key] + 0 < given[key] + 0
      }
      print pairs " pairs, " faster " faster"
    }' "$tmp/n/sweep.csv" >"$tmp/never"
  expect "$tmp/never" '^12 pairs, ([7-9]|1[0-2]) faster$'
  lines "$tmp/never" 1
}

jobs() {
  run 0 sweep "${grid[@]}" --strategies none,optimize --work-limit 3000 \
    --oracles sequential,offline --out "$tmp/j1" --jobs 1
  run 0 sweep "${grid[@]}" --strategies none,optimize --work-limit 3000 \
    --oracles sequential,offline --out "$tmp/j4" --jobs 4
  checks=$((checks + 1))
  diff -r "$tmp/j1" "$tmp/j4" >&2 || fail "1 and 4 threads make different sweeps"
  lines "$tmp/j1/sweep.csv" 17
  expect "$tmp/j1/sweep.csv" '^mlp,sl2610,all,50:40:40,optimize,offline,65536,3000,,'
  expect "$tmp/j1/sweep.csv" '^mlp,sl2610,all,50:40:40,none,offline,65536,,,'
}

points() {
  local strategy lram merged=()
  for strategy in none stream-schedule; do
    for lram in 64KiB 256KiB; do
      run 0 sweep "$mlp" --point "$tmp/$strategy.$lram.json" --lram $lram --strategies $strategy
      lines "$tmp/out" 0
      merged+=("$tmp/$strategy.$lram.json")
    done
  done
  run 0 sweep "${merged[@]}" --merge --out "$tmp/m"
  expect "$tmp/out" '^points +4 merged$'
  run 0 sweep "$mlp" --lram 64KiB,256KiB --out "$tmp/n"
  local file
  for file in sweep.csv sweep.json sweep.svg; do
    same "$tmp/m/$file" "$tmp/n/$file" "points that are merged make the same $file"
  done
  run 1 sweep "${merged[@]}" "${merged[0]}" --merge --out "$tmp/m"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/none.64KiB.json: point: the same as in $tmp/none.64KiB.json\$"
  run 1 sweep "$mlp" --merge --out "$tmp/m"
  lines "$tmp/err" 1
  expect "$tmp/err" 'mlp.json: not a point of a sweep; expected a file that'
}

# A point that does not work out is a row; a table that is none is the end.
errors() {
  run 0 sweep "$mlp" --lram 1KiB,6KiB,64KiB --out "$tmp/e"
  expect "$tmp/out" '^errors +4 points$'
  expect "$tmp/e/sweep.csv" '^mlp,.*,1024,.*,hardware.lram_reserved_bytes: 1280 reserved of 1024'
  expect "$tmp/e/sweep.csv" "^mlp,.*,6144,.*layer 0 'l0.up': its smallest tile takes 5412 bytes"
  expect "$tmp/e/sweep.csv" '^mlp,.*,65536,.*,true,'
  expect "$tmp/e/sweep.svg" '<path class="x"'
  run 0 sweep "$mlp" --lram 1KiB,6KiB,64KiB --out "$tmp/e"
  expect "$tmp/out" '^points +6 of 6 points were there, 0 computed$'
  # Lowered, but not placed: a row with all but a makespan.
  run 0 sweep "$gemma" --lram 12KiB --budgets 100:100:100 --layers 0:20 --strategies none \
    --out "$tmp/p"
  expect "$tmp/out" '^errors +1 point$'
  expect "$tmp/p/sweep.csv" \
    "^gemma.*,12172166,,false,,[0-9]+,,,not placed in LRAM: no free range is long enough at op 7644 'start l0.q_norm',"
  run 0 sweep "$mlp" --lram 64KiB --layers 90:2 --out "$tmp/l" --quiet
  expect "$tmp/l/sweep.csv" '^mlp,sl2610,90:2,.*,options.first_layer'
  printf '{"layers": [' >"$tmp/bad.json"
  run 1 sweep "$mlp" "$tmp/bad.json" --out "$tmp/b"
  lines "$tmp/out" 0
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/bad.json:"
  printf '{"layers": [{"name": "a"}]}' >"$tmp/bad.json"
  run 1 sweep "$mlp" "$tmp/bad.json" --out "$tmp/b"
  lines "$tmp/err" 1
  expect "$tmp/err" "^$tmp/bad.json: layer 0 'a': the size of its output is not given"
  printf '{"layers": []}' >"$tmp/bad.json"
  run 1 sweep "$tmp/bad.json" --out "$tmp/b"
  expect "$tmp/err" "^$tmp/bad.json: no layers; expected a list 'layers'\$"
  run 1 sweep "$tmp/no such file.json" --out "$tmp/b"
  expect "$tmp/err" "^$tmp/no such file.json: No such file"
  [ -e "$tmp/b" ] && fail "a bad table made a directory"
  # Where a point cannot be written the sweep ends, whatever else runs.
  cp -r "$tmp/e" "$tmp/w"
  local point
  point=$(cell "$tmp/w/sweep.csv" 4 point)
  rm "$tmp/w/points/$point.json"
  mkdir -p "$tmp/w/points/$point.json/full"
  run 3 sweep "$mlp" --lram 1KiB,6KiB,64KiB --out "$tmp/w" --jobs 2
  lines "$tmp/err" 1
  expect "$tmp/err" "^torqsched sweep: $tmp/w/points/$point.json: Is a directory\$"
  checks=$((checks + 1))
  find "$tmp/w" -name '*.tmp' | grep . && fail "files that are not whole were left"
  run 3 sweep "$mlp" --out "$tmp/bad.json"
  expect "$tmp/err" "^torqsched sweep: $tmp/bad.json/points: "
}

usage
rows
one_by_one
resumed
interrupted
odd_files
never_slower
jobs
points
errors
finish
