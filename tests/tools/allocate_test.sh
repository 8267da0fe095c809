#!/bin/bash
# `torqsched allocate` from outside: MiniMalloc's CSV in and out, messages and streams, exit
# statuses, the line that an error makes, and answers that the checker accepts.
#
#   allocate_test.sh TORQSCHED FIXTURE...
set -u

torqsched=$1
shift
fixtures=("$@")
. "$(dirname "$0")/checks.sh"

example=$(fixture worked-example-1.txtpb)
in_place=$(fixture in_place.txtpb)
inclusive=$(fixture inclusive.csv)

# csv LINE...: a file of these lines, $tmp/a.csv.
csv() { printf '%s\n' "$@" >"$tmp/a.csv"; }

# refused MESSAGE LINE...: the input is at fault; the one line says where and what.
refused() {
  local message=$1
  shift
  csv "$@"
  run 1 allocate "$tmp/a.csv"
  lines "$tmp/err" 1
  lines "$tmp/out" 0
  expect "$tmp/err" "^$tmp/a\.csv:$message"
}

usage() {
  run 2 allocate
  run 2 allocate a b
  run 2 allocate "$inclusive" --capacity ten
  run 2 allocate "$inclusive" --nodes -1
  run 2 allocate "$inclusive" --alignment 0
  expect "$tmp/err" "alignment: 0; expected at least 1"
  run 2 allocate "$inclusive" --format yaml
  run 2 allocate "$inclusive" -o "$tmp/a.unknown"
  run 2 allocate "$example" --input-format yaml
  run 2 allocate "$example" --hardware sl9999
  printf 'capacity: 5' >"$tmp/a.txtpb"
  run 2 allocate "$tmp/a.txtpb" --message Hardware
  run 2 schedule "$example" --format csv
  lines "$tmp/out" 0
}

# a and b are live together, c after both: 3 + 4 bytes are needed, and enough.
three=("id,lower,upper,size" "a,0,5,3" "b,2,5,4" "c,5,9,7")

placed() {
  csv "${three[@]}"
  run 0 allocate "$tmp/a.csv"
  expect "$tmp/out" "3 buffers"
  expect "$tmp/out" "^height +7 bytes +proven least$"
  expect "$tmp/out" "^lower bound +7 bytes$"
  lines "$tmp/err" 0
  run 0 allocate "$tmp/a.csv" --capacity 7
  expect "$tmp/out" "^height +7 bytes of 7 "
  run 0 allocate "$tmp/a.csv" --capacity 100 --least
  expect "$tmp/out" "^height +7 bytes of 100 +proven least$"
  run 0 allocate "$tmp/a.csv" --alignment 8 --format csv
  expect "$tmp/out" "^c,5,9,7,0$"
  run 0 allocate - --input-format csv <"$tmp/a.csv"
  expect "$tmp/out" "^<stdin>: 3 buffers"
}

not_placed() {
  csv "${three[@]}" "d,3,4,2"
  run 1 allocate "$tmp/a.csv" --capacity 8 -o "$tmp/none.csv"
  expect "$tmp/err" "^$tmp/a.csv: does not fit 8 bytes: buffer .* cannot be placed together$"
  expect "$tmp/err" "^does not fit +8 bytes: proven$"
  expect "$tmp/err" "^conflict +3 buffers do not fit even without the others"
  checks=$((checks + 1))
  [ -e "$tmp/none.csv" ] && fail "a CSV of offsets that do not exist"
  run 1 allocate "$tmp/a.csv" --capacity 8 -o "$tmp/none.txtpb"
  expect "$tmp/none.txtpb" "ALLOCATION_VERDICT_INFEASIBLE"
  run 0 verify "$tmp/a.csv" "$tmp/none.txtpb" --capacity 8
  expect "$tmp/out" "no contradiction"
  csv "id,lower,upper,size" "big,0,1,9"
  run 1 allocate "$tmp/a.csv" --capacity 8
  expect "$tmp/err" "does not fit 8 bytes: buffer 0 'big' \(9 bytes\) alone cannot be placed$"
}

# Columns stay where they are, offsets come into theirs or into one more.
csv_out() {
  csv "${three[@]}"
  run 0 allocate "$tmp/a.csv" -o "$tmp/b.csv"
  lines "$tmp/out" 0
  expect "$tmp/b.csv" "^id,lower,upper,size,offset$"
  lines "$tmp/b.csv" 4
  checks=$((checks + 1))
  cut -d, -f1-4 "$tmp/b.csv" | cmp -s - "$tmp/a.csv" || fail "columns of the input changed"
  # What was written is a file of fixed offsets, and still fits.
  run 0 allocate "$tmp/b.csv" --capacity 7 --format csv
  same "$tmp/out" "$tmp/b.csv" "fixed offsets moved"

  run 0 allocate "$inclusive" --format csv
  expect "$tmp/out" "^offset,buffer,size,start,end,alignment,gaps$"
  # "table" is fixed at 0; "scratch" fills the gap 3-5 of the weights, its last time included.
  expect "$tmp/out" "^0,table,512,0,9,16,$"
  local weights scratch
  weights=$(sed -n 's/,conv1 weights,.*//p' "$tmp/out")
  scratch=$(sed -n 's/,scratch,.*//p' "$tmp/out")
  checks=$((checks + 1))
  [ "$weights" = "$scratch" ] || fail "weights at $weights, scratch at $scratch"

  run 0 allocate "$in_place" --format csv
  expect "$tmp/out" "^id,lower,upper,size,alignment,gaps,offset$"
  expect "$tmp/out" "^input_ rows 8 to 15,2,6,1024,1,,[0-9]+$"
  expect "$tmp/out" "^weights,0,12,3000,64,3-9,[0-9]+$"
  expect "$tmp/out" "^code,3,9,640,1,,1280$"
}

csv_forms() {
  # Any order of columns, other names, blanks, CR LF, a byte order mark, no end of line.
  printf '\xef\xbb\xbfsize,begin,end,buffer_id\r\n3,0,4,a\r\n 4 ,2, 4 ,b\r\n7,5,8,c' >"$tmp/a.csv"
  run 0 allocate "$tmp/a.csv" --capacity 7
  expect "$tmp/out" "^height +7 bytes of 7 "
  # Both live at 4, which is the last time of the one and the first of the other.
  csv "id,begin,end,size" "a,0,4,3" "b,4,6,4"
  run 1 allocate "$tmp/a.csv" --capacity 6
  csv "id,begin,upper,size" "a,0,4,3" "b,4,6,4"
  run 0 allocate "$tmp/a.csv" --capacity 4
  # Empty cells say nothing; a hint binds nothing; 64-bit sizes.
  csv "id,lower,upper,size,alignment,gaps,offset,hint" "a,0,4,3,,,," "b,0,4,4,16, 1-2  3-3 ,,5" ""
  run 0 allocate "$tmp/a.csv" --format csv
  lines "$tmp/out" 3
  csv "id,lower,upper,size" "a,0,18446744073709551615,4294967296" "b,0,1,4294967296"
  run 0 allocate "$tmp/a.csv"
  expect "$tmp/out" "^height +8,589,934,592 bytes"
  csv "id,lower,upper,size"
  run 0 allocate "$tmp/a.csv"
  expect "$tmp/out" ": 0 buffers"
}

csv_at_fault() {
  run 1 allocate "$tmp/missing.csv"
  expect "$tmp/err" "^$tmp/missing.csv: No such file"
  refused "1: no header line; expected the columns id,lower,upper,size" ""
  refused "1: column 'aligment' is not known; expected id,lower" "id,lower,upper,size,aligment"
  refused "1: no column 'size'" "id,lower,upper"
  refused "1: column 'start' says what column 'lower' does" "id,lower,upper,size,start"
  local head="id,lower,upper,size,alignment,gaps,offset,hint"
  refused "3: 2 cells; expected 8: id,lower" "$head" "a,0,1,2,,,," "b,3"
  refused "2: 1 cell; expected 8" "$head" "" "a,0,1,2,,,,"
  refused "2: lower: '-1' is not a number of time; expected digits" "$head" "a,-1,1,2,,,,"
  refused "2: upper: '' is not a number" "$head" "a,0,,2,,,,"
  refused "2: size: '1e3' is not a number of bytes" "$head" "a,0,1,1e3,,,,"
  refused "2: size: '18446744073709551616'" "$head" "a,0,1,18446744073709551616,,,,"
  refused "2: upper: 3 is before lower 4; expected at least 4" "$head" "a,4,3,2,,,,"
  refused "2: alignment: 0; expected at least 1" "$head" "a,0,1,2,0,,,"
  refused "2: alignment: 'x'" "$head" "a,0,1,2,x,,,"
  refused "2: offset: '\+4'" "$head" "a,0,1,2,,,+4,"
  refused "2: hint: '4 4'" "$head" "a,0,1,2,,,,4 4"
  refused "2: gaps: '3' is no gap; expected LOWER-UPPER" "$head" "a,0,9,2,,3,,"
  refused "2: gaps: '3-4-5' is no gap" "$head" "a,0,9,2,,1-2 3-4-5,,"
  refused "2: gaps: '3-5@0:4' has a window.*not supported" "$head" "a,0,9,2,,3-5@0:4,,"
  refused "2: gaps: '8-10' is no part.*expected times from 1 to 9" "$head" "a,1,9,2,,8-10,,"
  refused "2: gaps: '5-4' is no part" "$head" "a,1,9,2,,5-4,,"
  refused "2: end: 18446744073709551615 is too large" "id,begin,end,size" \
    "a,0,18446744073709551615,1"
  # What the library finds has its line, too.
  refused "3: buffer 1 'b': its size, 18446744073709551615 bytes, does not fit" "$head" \
    "a,0,1,1,,,," "b,0,1,18446744073709551615,2,,,"
  refused "2: buffer 0 'a': its end" "$head" "a,0,1,2,,,18446744073709551615,"
}

messages() {
  run 0 allocate "$in_place"
  expect "$tmp/out" "^height .* of 12,288 "
  printf 'buffers { name: "w" upper: 1 }\nbuffers { name: "o" lower: 2 upper: 1 }\n' \
    >"$tmp/bad.txtpb"
  run 1 allocate "$tmp/bad.txtpb" --message AllocateRequest
  expect "$tmp/err" "^$tmp/bad.txtpb: buffer 1 'o': upper 1 is below lower 2$"
  lines "$tmp/err" 1
  printf 'buffers { size: -1 }' >"$tmp/bad.txtpb"
  run 1 allocate "$tmp/bad.txtpb"
  expect "$tmp/err" "^$tmp/bad.txtpb:1:17: "
  printf '# proto-message: torqsched.v1.Error\n' >"$tmp/bad.txtpb"
  run 1 allocate "$tmp/bad.txtpb"
  expect "$tmp/err" "holds a 'torqsched.v1.Error'; expected AllocateRequest"
  for format in txtpb json binpb; do
    run 0 convert "$in_place" -o "$tmp/1.$format"
    run 0 allocate "$tmp/1.$format" --format text
    expect "$tmp/out" "^verdict: ALLOCATION_VERDICT_PLACED$"
    run 0 convert "$tmp/1.$format" --message AllocateRequest -o "$tmp/2.txtpb"
    same "$tmp/2.txtpb" "$in_place" "$format: changed on the way"
  done
}

streams() {
  # By hand: w1 and o1 at first, o1, w3 and o3 in the end; w2 and o2 come and go beside o1.
  run 0 allocate "$example"
  expect "$tmp/out" "^height +300 bytes of 1,000 +proven least$"
  run 1 allocate "$example" --capacity 299
  expect "$tmp/err" "does not fit 299 bytes: buffer [0-9]+ '[wo][123]' \(100 bytes\)"
  printf 'lram_bytes: 280 lram_reserved_bytes: 0' >"$tmp/chip.txtpb"
  run 1 allocate "$example" --hardware "$tmp/chip.txtpb"
  expect "$tmp/err" "does not fit 280 bytes"
  csv "${three[@]}"
  run 1 allocate "$tmp/a.csv" --hardware "$tmp/missing.txtpb"
  expect "$tmp/err" "^$tmp/missing.txtpb: No such file"
}

# Every answer holds, in every form that a command line has.
answers_hold() {
  local file answer
  for file in "${fixtures[@]}"; do
    for answer in "$tmp/answer.txtpb" "$tmp/answer.json" "$tmp/answer.binpb"; do
      "$torqsched" allocate "$file" --nodes 20000 -o "$answer" 2>/dev/null
      run 0 verify "$file" "$answer" --message AllocateRequest
      expect "$tmp/out" "^$answer: (holds|no contradiction)\."
    done
  done
  run 0 allocate "$in_place" -o "$tmp/answer.txtpb"
  run 0 verify "$in_place" "$tmp/answer.txtpb" --format text
  expect "$tmp/out" "^height: [1-9]"
}

wrong_answers_do_not() {
  run 0 allocate "$in_place" -o "$tmp/answer.txtpb"
  sed 's/^offsets: .*/offsets: [1280, 2304, 5376, 5376, 8192, 1280]/' "$tmp/answer.txtpb" \
    >"$tmp/wrong.txtpb"
  run 1 verify "$in_place" "$tmp/wrong.txtpb"
  expect "$tmp/out" "^$tmp/wrong.txtpb: buffer 5 'code': \[1280, 1920\) shares bytes with buffer 0"
  expect "$tmp/err" "^$tmp/wrong.txtpb: [0-9]+ violations?$"
  lines "$tmp/err" 1
  printf '# proto-message: torqsched.v1.AllocateResponse\n' >"$tmp/wrong.txtpb"
  run 1 verify "$in_place" "$tmp/wrong.txtpb"
  expect "$tmp/err" "^$tmp/wrong.txtpb: verdict: 0 is not known"
  run 2 verify "$example" "$example" --capacity 5
  expect "$tmp/err" "about an allocation"
}

usage
placed
not_placed
csv_out
csv_forms
csv_at_fault
messages
streams
answers_hold
wrong_answers_do_not
finish
