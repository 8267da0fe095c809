#!/bin/bash
# symbols_test.sh ARCHIVE SYMBOLS HEADER SHARED: the archive and the shared library export what the
# list says, the list is what the header declares, and what the archive wants from its host is the C
# and C++ runtime only.
set -eu
archive=$1 symbols=$2 header=$3 shared=$4

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

members=$(ar t "$archive")
same "the archive is not one object" libtorqsched.o "$members"

# Constructors run before the host's main. The only ones are protobuf's, which set up default
# messages inside the archive; <iostream>'s would set up std::cout and its like. None registers
# anything to run at exit.
constructors=$(readelf -rW "$archive" | awk '/init_array/ { on = 1 } /^$/ { on = 0 } on' |
  grep -o '_GLOBAL__[^ ]*' | sed 's/.*_I[._0-9]*//' | LC_ALL=C sort -u)
[ -n "$constructors" ] || fail "no constructors were found: how they are looked for is out of date"
others=$(grep -vE '^([a-z]+\.pb|generated_message_util|implicit_weak_message|structurally_valid)\.cc$' \
  <<< "$constructors" || true)
same "the archive has constructors that are not protobuf's" "" "$others"
if grep -E '\.(fini_array|ctors|dtors|preinit_array)' <<< "$(readelf -SW "$archive")" >&2; then
  fail "the archive has code that runs at exit or by another list"
fi

# The shared library: the same names, under its version; found by its soname.
version=$(sed -n 's/^#define TORQSCHED_VERSION "\(.*\)"$/\1/p' "$header")
interface=${version%.*}
dynamic=$(nm -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort)
same "the shared library exports other symbols or versions" \
  "$(sed "s/$/@@TORQSCHED_$interface/" <<< "$listed")" "$dynamic"
soname=$(readelf -dW "$shared" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
same "the soname is not that of the header's version" "libtorqsched.so.$interface" "$soname"
same "the file's name is not that of the header's version" "libtorqsched.so.$version" \
  "$(basename "$shared")"
needed=$(readelf -dW "$shared" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
  grep -vE '^(ld-linux-x86-64|libc|libm|libstdc\+\+|libgcc_s|libpthread)\.so\.[0-9]+$' || true)
same "the shared library needs more than the C and C++ runtime" "" "$needed"
# The oldest C and C++ libraries that it works with: what dist/README.md and the manifest say.
versions=$(objdump -T "$shared" | grep -oE '(GLIBC|GLIBCXX|CXXABI|GCC)_[0-9.]+' | LC_ALL=C sort -uV)
for wanted in GLIBC_2.34 GLIBCXX_3.4.29; do
  newest=$(grep "^${wanted%%_*}_" <<< "$versions" | tail -n 1)
  same "the shared library asks for another ${wanted%%_*}" "$wanted" "$newest"
done
if readelf -dW "$shared" | grep -q TEXTREL; then fail "the shared library has text relocations"; fi

undefined=$(nm -u "$archive" | awk '$1 ~ /^[Uwv]$/ { print $2 }' | LC_ALL=C sort -u)
for pattern in absl google8protobuf torqsched '^deflate' '^inflate' '^gz' '^signal$' '^sigaction$' \
  '^setlocale$' '^exit$' '^_exit$' '^dlopen$' '^setenv$' '^getenv$' '^fopen$' ios_base \
  '^__cxa_atexit$' '^atexit$' '^__cxa_thread_atexit' '^__tls_get_addr$'; do
  if grep -n -e "$pattern" <<< "$undefined" >&2; then
    fail "the archive wants this (pattern '$pattern') from its host"
  fi
done
echo "$(wc -l <<< "$exported") symbols exported, $(wc -l <<< "$undefined") wanted"
