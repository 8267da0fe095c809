#!/bin/sh
# The distribution's torqsched.hpp in C++ hosts: warnings, without exceptions, sanitizers, threads,
# with generated classes, and the example.
#
#   cpp_test.sh TARBALL    from the root of the sources
set -u
. "$(dirname "$0")/checks.sh"
need c++
unpack "$1"

here=$(dirname "$0")
host=$here/cpp_host.cc
request=$PREFIX/share/torqsched/streams/worked-example-1.binpb
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I$PREFIX/include"
archive="-L$PREFIX/lib -ltorqsched -lstdc++ -lm -lpthread"

# runs NAME CALLS COMPILER FLAG...: builds the host so and runs it, 8 threads making so many calls.
runs() {
  name=$1
  calls=$2
  shift 2
  check "$name: builds" "$@" "$host" $archive -o "$SCRATCH/host-$name"
  check "$name: 8 threads x $calls calls" timeout 60 "$SCRATCH/host-$name" "$request" "$calls"
}

# The classes that protoc makes take long to compile: meanwhile the rest goes on.
build_messages() {
  mkdir -p "$SCRATCH/messages"
  protoc -I "$PREFIX/include" --cpp_out="$SCRATCH/messages" \
    "$PREFIX"/include/torqsched/v1/*.proto || return
  classes=
  for file in hardware judge lower network oracle placement residency schedule simulate stream \
    tiling timeline warm; do
    classes="$classes $SCRATCH/messages/torqsched/v1/$file.pb.cc"
  done
  c++ -std=c++17 -I"$PREFIX/include" -I"$SCRATCH/messages" "$here/cpp_messages.cc" $classes \
    $archive -lprotobuf -o "$SCRATCH/cpp_messages"
}
messages=
if at_hand protoc &&
  echo '#include <google/protobuf/message.h>' | c++ -x c++ -E - >/dev/null 2>&1; then
  build_messages >"$SCRATCH/messages.log" 2>&1 &
  messages=$!
fi

alone() {
  printf '#include <torqsched/torqsched.hpp>\n#include <torqsched/torqsched.hpp>\n' >"$SCRATCH/a.cc"
  c++ -std=c++17 $warnings -Wundef -fsyntax-only "$SCRATCH/a.cc"
}
check "the header needs no other before it" alone

# Every build is with all warnings, as errors; between them: C++17 and C++20 of each compiler.
runs plain 10000 c++ -std=c++17 -O2 $warnings
runs no-exceptions 1000 c++ -std=c++17 -fno-exceptions -fno-rtti $warnings
if tool clang++; then
  runs clang 1000 clang++ -std=c++20 $warnings
  check "clang, C++17, without exceptions: no warnings" \
    clang++ -std=c++17 -fno-exceptions -fno-rtti $warnings -fsyntax-only "$host"
fi
sanitized="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
if sanitizes c++ $sanitized; then
  export ASAN_OPTIONS=detect_leaks=1
  runs sanitized 200 c++ -std=c++20 $sanitized $warnings
else
  skipped "needs AddressSanitizer"
fi
# The archive itself is not instrumented: what is watched are the header, and memory that the
# library passes from one thread to another.
if sanitizes c++ -fsanitize=thread; then
  runs threads 10000 c++ -std=c++17 -g -fsanitize=thread $warnings
else
  skipped "needs ThreadSanitizer"
fi

# Files with and without exceptions in one program: each keeps its own functions.
mixed() {
  for part in with without; do
    {
      echo '#include <torqsched/torqsched.hpp>'
      echo "bool $part() { return torqsched::Session::New({})->Schedule(\"bad\").ok(); }"
    } >"$SCRATCH/$part.cc"
  done
  echo 'bool with(), without(); int main() { return with() || without(); }' >"$SCRATCH/mixed.cc"
  c++ -std=c++17 -I"$PREFIX/include" -c "$SCRATCH/with.cc" -o "$SCRATCH/with.o" &&
    c++ -std=c++17 -I"$PREFIX/include" -fno-exceptions -c "$SCRATCH/without.cc" \
      -o "$SCRATCH/without.o" &&
    c++ "$SCRATCH/mixed.cc" "$SCRATCH/with.o" "$SCRATCH/without.o" $archive -o "$SCRATCH/mixed" &&
    "$SCRATCH/mixed" && {
    for part in with without; do
      nm -C "$SCRATCH/$part.o" | sed -n 's/^.* [WVu] \(torqsched::.*\)/\1/p' | sort -u
    done | sort | uniq -d >"$SCRATCH/common"
    [ ! -s "$SCRATCH/common" ] || {
      cat "$SCRATCH/common"
      return 1
    }
  }
}
check "files with and without exceptions in one program" mixed

if [ -n "$messages" ]; then
  generated() {
    wait "$messages"
    built=$?
    cat "$SCRATCH/messages.log"
    [ "$built" = 0 ] && "$SCRATCH/cpp_messages" "$request" "$PREFIX/share/torqsched/warm"
  }
  check "generated classes, and a protobuf of the host's own" generated
else
  skipped "needs protobuf"
fi

example() {
  c++ -std=c++17 $warnings "$@" examples/cpp/main.cc $archive -o "$SCRATCH/example" &&
    "$SCRATCH/example" "$request" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" &&
    [ ! -s "$SCRATCH/stderr" ] && example_answers "$SCRATCH/stdout"
}
check "the example schedules, cancels and is told of bad bytes" example
check "the example, static" example -static
example_refuses "$SCRATCH/example"

check "overhead: builds" c++ -std=c++17 $warnings -O2 "$here/overhead.cc" $archive \
  -o "$SCRATCH/overhead"
check "overhead: runs" "$SCRATCH/overhead" 2000
cat "$SCRATCH/check.log"
finish
