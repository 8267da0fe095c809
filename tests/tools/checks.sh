# What the tests of the command line share: they run the tool that $torqsched names, and count.
# A test ends with `finish`.
tmp=${TEST_TMPDIR:-$(mktemp -d)}
failures=0
checks=0

fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

# run STATUS ARGUMENT...: runs the tool; standard output to $tmp/out, standard error to $tmp/err.
run() {
  local want=$1
  shift
  checks=$((checks + 1))
  "$torqsched" "$@" >"$tmp/out" 2>"$tmp/err"
  local got=$?
  if [ "$got" != "$want" ]; then
    fail "torqsched $*: exit status $got, expected $want"
    sed 's/^/    /' "$tmp/err" >&2
  fi
}

# expect FILE PATTERN: a line of the file matches the extended regular expression.
expect() {
  checks=$((checks + 1))
  grep -Eq -- "$2" "$1" || {
    fail "expected '$2' in:"
    sed 's/^/    /' "$1" | head -20 >&2
  }
}

# lines FILE COUNT
lines() {
  checks=$((checks + 1))
  local got
  got=$(wc -l <"$1")
  [ "$got" = "$2" ] || {
    fail "$got lines, expected $2:"
    sed 's/^/    /' "$1" | head -20 >&2
  }
}

same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || fail "$3"
}

finish() {
  echo "$checks checks, $failures failed"
  [ "$failures" = 0 ]
}

# fixture NAME: the path of the fixture of that name, out of the array fixtures.
fixture() {
  local file
  for file in "${fixtures[@]}"; do
    case $file in */"$1") echo "$file" && return ;; esac
  done
  fail "no fixture $1"
}
