#!/bin/sh
# The distribution in a C host: the example in each way that a C program is linked, the archive
# beside the shared library, leaks.
#
#   c_test.sh TARBALL    from the root of the sources
set -u
. "$(dirname "$0")/checks.sh"
need cc
unpack "$1"

here=$(dirname "$0")
example=examples/c/main.c
request=$PREFIX/share/torqsched/streams/worked-example-1.binpb
shared=$PREFIX/lib/libtorqsched.so.0.1
strict="-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Werror -I$PREFIX/include"
archive="-L$PREFIX/lib -ltorqsched -lstdc++ -lm -lpthread"

# answers COMMAND...: the example's known answer, and nothing on standard error.
answers() {
  "$@" "$request" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || {
    cat "$SCRATCH/stderr"
    return 1
  }
  [ ! -s "$SCRATCH/stderr" ] || {
    cat "$SCRATCH/stderr"
    return 1
  }
  example_answers "$SCRATCH/stdout"
}

# builds NAME COMPILER FLAG...: compiles and links the example so, as $SCRATCH/NAME, and runs it.
builds() {
  name=$1
  shift
  check "$name: builds" "$@" -o "$SCRATCH/$name"
  check "$name: runs" answers "$SCRATCH/$name"
}

builds archive cc $strict $example $archive
# Of all that it could depend on, only what every system has.
own_libraries() {
  ldd "$SCRATCH/archive" >"$SCRATCH/ldd" && ! grep -E 'torqsched|protobuf|absl' "$SCRATCH/ldd"
}
if tool ldd; then
  check "archive: needs no library of ours" own_libraries
fi
example_refuses "$SCRATCH/archive"
builds static cc $strict -static $example $archive
builds optimized cc -std=c11 -O2 -flto -Wall -Werror -I"$PREFIX/include" $example $archive
builds no-pie cc -std=gnu17 -fno-pie -no-pie -Wall -Werror -I"$PREFIX/include" $example $archive
# The shared library brings its own C++ runtime along, so no C++ is on the line.
builds shared cc $strict $example "-L$PREFIX/lib" -l:libtorqsched.so.0.1 "-Wl,-rpath,$PREFIX/lib"
if tool clang; then
  builds clang clang $strict $example $archive
fi
check "links into a shared object" cc $strict -shared -fPIC -Wl,-z,defs $example $archive \
  -o "$SCRATCH/plugin.so"

if tool pkg-config; then
  packaged() {
    flags=$(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig pkg-config --cflags --libs --static torqsched) &&
      cc -std=c99 -pedantic -Werror $example $flags -o "$SCRATCH/packaged" &&
      answers "$SCRATCH/packaged"
  }
  check "pkg-config --cflags --libs --static" packaged
  version() {
    PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig pkg-config --modversion torqsched >"$SCRATCH/version" &&
      grep -q "^#define TORQSCHED_VERSION \"$(cat "$SCRATCH/version")\"$" \
        "$PREFIX/include/torqsched/torqsched.h"
  }
  check "pkg-config knows the header's version" version
fi

# Two copies in one process: linked in, and loaded beside it.
check "archive and shared library: builds" cc $strict "$here/c_both.c" $archive -ldl \
  -o "$SCRATCH/both"
check "archive and shared library: both work" "$SCRATCH/both" "$request" "$shared"
# The program's symbols are then found before the library's own.
check "archive and shared library, -rdynamic: builds" cc $strict -rdynamic "$here/c_both.c" \
  $archive -ldl -o "$SCRATCH/both-rdynamic"
check "archive and shared library, -rdynamic: both work" "$SCRATCH/both-rdynamic" "$request" \
  "$shared"

# Leaks. (The archive itself is not instrumented; what it allocates is counted all the same.)
sanitized="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
if sanitizes cc $sanitized; then
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
  builds sanitized cc $strict $sanitized $example $archive
  check "archive and shared library, sanitized: builds" cc $strict $sanitized "$here/c_both.c" \
    $archive -ldl -o "$SCRATCH/both-sanitized"
  # Unloading it must leave nothing behind either.
  check "archive and shared library, sanitized: both work" "$SCRATCH/both-sanitized" "$request" \
    "$shared"
  # That a leak would be seen.
  leaks() {
    sed 's/^  torqsched_buffer_free(&out);$//' $example >"$SCRATCH/leaking.c" &&
      cc -w -I"$PREFIX/include" -iquote examples/c $sanitized "$SCRATCH/leaking.c" \
        $archive -o "$SCRATCH/leaking" &&
      ! "$SCRATCH/leaking" "$request" >/dev/null 2>"$SCRATCH/stderr" &&
      expect "$SCRATCH/stderr" 'LeakSanitizer: detected memory leaks' 'torqsched_schedule\|main'
  }
  check "a leak would be seen" leaks
else
  skipped "needs AddressSanitizer"
fi
if tool valgrind; then
  kinds=definite,indirect,possible
  check "valgrind: the example" valgrind -q --error-exitcode=9 --leak-check=full \
    --show-leak-kinds=$kinds --errors-for-leak-kinds=$kinds \
    "$SCRATCH/archive" "$request"
fi

check "overhead: builds" cc $strict -O2 "$here/overhead.c" $archive -o "$SCRATCH/overhead"
check "overhead: runs" "$SCRATCH/overhead" 2000
cat "$SCRATCH/check.log"
finish
