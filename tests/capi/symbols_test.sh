#!/bin/bash
# symbols_test.sh ARCHIVE SYMBOLS HEADER: the archive exports what the list says, the list is what
# the header declares, and what the archive wants from its host is the C and C++ runtime only.
set -eu
archive=$1 symbols=$2 header=$3

fail() {
  echo "$1" >&2
  exit 1
}
same() {  # TITLE WANTED GOT
  if [ "$2" != "$3" ]; then
    diff <(echo "$2") <(echo "$3") >&2 || true
    fail "$1"
  fi
}

listed=$(cat "$symbols")
same "$symbols is not sorted" "$(LC_ALL=C sort -u <<< "$listed")" "$listed"

exported=$(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort)
same "the archive exports other symbols than $symbols lists" "$listed" "$exported"

declared=$(sed -n 's/.*\b\(torqsched_[a-z_]*\)(.*/\1/p' "$header" | grep -v '^torqsched_check_abi(TORQ' |
  LC_ALL=C sort -u)
for symbol in $listed; do
  grep -qx "$symbol" <<< "$declared" || fail "$symbol is exported, but $header does not declare it"
done
for symbol in $declared; do
  grep -qx "$symbol" <<< "$listed" || fail "$header declares $symbol, but it is not exported"
done

# Here-strings, not pipes: grep -q that ends early would fail a pipe's writer.
all=$(readelf -sW "$archive")
if grep -q ' UNIQUE ' <<< "$all"; then fail "STB_GNU_UNIQUE symbols are left"; fi
if grep -q COMDAT <<< "$(readelf -gW "$archive")"; then fail "COMDAT groups are left"; fi

# Debian's Abseil is one section a file, so code that is never called stays in, and with it what it
# wants (getenv, fopen): that none of it is called is what c_host_test checks.
undefined=$(nm -u "$archive" | awk '$1 == "U" { print $2 }' | LC_ALL=C sort -u)
for pattern in absl google8protobuf torqsched '^deflate' '^inflate' '^gz' '^signal$' '^sigaction$' \
  '^setlocale$' '^exit$' '^_exit$' '^dlopen$' '^setenv$'; do
  if grep -n -e "$pattern" <<< "$undefined" >&2; then
    fail "the archive wants this (pattern '$pattern') from its host"
  fi
done
echo "$(wc -l <<< "$exported") symbols exported, $(wc -l <<< "$undefined") wanted"
