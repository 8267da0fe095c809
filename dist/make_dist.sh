#!/bin/bash
# make_dist.sh OUT.tar.gz: packs the distribution. What goes in is named by environment variables that
# BUILD.bazel sets. Same inputs, same bytes.
#
#   include/torqsched/            the headers, and the .proto files in v1/
#   lib/                          libtorqsched.a; libtorqsched.so.VERSION with its soname's link.
#                                 No libtorqsched.so: -ltorqsched is to mean the archive
#   lib/pkgconfig, lib/cmake      for pkg-config and find_package(torqsched)
#   share/torqsched/streams/      requests to try, serialized; so residency/, warm/
#   share/torqsched/python/       torqsched.py
#   share/torqsched/manifest.json what this is, what is in it, and the digest of every file
#   share/doc/torqsched/          README, licence, notices, what is computed exactly
set -euo pipefail
out=$1
name="torqsched-$VERSION"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root="$work/$name"
doc="$root/share/doc/torqsched"
share="$root/share/torqsched"
mkdir -p "$root"/{include/torqsched/v1,lib/{pkgconfig,cmake/torqsched}} "$doc" "$share"/{python,residency,streams,warm}

cp -L $HEADERS "$root/include/torqsched/"
cp -L $PROTOS "$root/include/torqsched/v1/"
cp -L "$ARCHIVE" "$SHARED" "$root/lib/"
shared=$(basename "$SHARED")
soname=$(readelf -dW "$root/lib/$shared" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
ln -s "$shared" "$root/lib/$soname"

fill() { sed "s/@VERSION@/$VERSION/g; s/@SONAME@/$soname/g" "$1"; }
fill "$PKG_CONFIG" >"$root/lib/pkgconfig/torqsched.pc"
fill "$CMAKE_CONFIG" >"$root/lib/cmake/torqsched/torqsched-config.cmake"
fill "$CMAKE_VERSION" >"$root/lib/cmake/torqsched/torqsched-config-version.cmake"

for stream in $STREAMS; do
  target="$share/streams/$(basename "${stream%.*}").binpb"
  case "$stream" in
    *.binpb) cp -L "$stream" "$target" ;;
    *)
      "$PROTOC" -I "$root/include" --encode=torqsched.v1.ScheduleRequest torqsched/v1/schedule.proto \
        <"$stream" >"$target"
      ;;
  esac
done

# encode REQUEST FOLDER: what message it is, and of which file, stands in its first lines.
encode() {
  "$PROTOC" -I "$root/include" --encode="$(sed -n 's/^# proto-message: //p' "$1")" \
    "$(sed -n 's/^# proto-file: //p' "$1")" <"$1" >"$share/$2/$(basename "${1%.*}").binpb"
}
for request in $RESIDENCY; do encode "$request" residency; done
for request in $WARM; do encode "$request" warm; done

cp -L "$PYTHON" "$share/python/"
cp -L "$README" "$LICENSE" "$NOTICE" $DOCS "$doc/"
cp -L "$ABSEIL_LICENSE" "$doc/LICENSE.abseil"
cp -L "$PROTOBUF_LICENSE" "$doc/LICENSE.protobuf"

define() { sed -n "s/^#define $1 \([^ ]*\)$/\1/p" "$root/include/torqsched/torqsched.h"; }
abi=$(($(define TORQSCHED_VERSION_MAJOR) * 1000 + $(define TORQSCHED_VERSION_MINOR)))
compiler=$(readelf -p .comment "$root/lib/libtorqsched.a" | sed -n 's/.*\] *//p' | sort -u | paste -sd';')
# The oldest C and C++ libraries that the shared library works with.
newest() {
  objdump -T "$root/lib/$shared" | grep -oE "\b$1_[0-9.]+" | sort -uV | tail -n 1 | sed "s/.*_//"
}
glibc=$(newest GLIBC) glibcxx=$(newest GLIBCXX)
machine=$(readelf -hW "$root/lib/$shared" | sed -n 's/ *Machine: *//p')
[ "$machine" = "Advanced Micro Devices X86-64" ] || { echo "built for $machine, not x86-64" >&2; exit 1; }
chmod -R u=rwX,go=rX "$root"
chmod 644 "$root/lib/libtorqsched.a"
cd "$root"
{
  cat <<EOF
{
  "name": "torqsched",
  "version": "$VERSION",
  "abi_version": $abi,
  "soname": "$soname",
  "platform": "linux-x86_64",
  "requires": {"glibc": "$glibc", "glibcxx": "$glibcxx"},
  "compiler": "$compiler",
  "license": "Apache-2.0",
  "contains": [
    {"name": "abseil", "version": "$(cat "$OLDPWD/$ABSEIL_VERSION")", "license": "Apache-2.0", "source": "Debian source package abseil", "dsc_sha256": "$(cat "$OLDPWD/$ABSEIL_DSC")"},
    {"name": "protobuf (lite runtime)", "version": "$(cat "$OLDPWD/$PROTOBUF_VERSION")", "license": "BSD-3-Clause", "source": "Debian source package protobuf", "dsc_sha256": "$(cat "$OLDPWD/$PROTOBUF_DSC")"}
  ],
  "files": [
EOF
  find . -type f ! -name manifest.json | LC_ALL=C sort | while read -r file; do
    printf '    {"path": "%s", "bytes": %s, "sha256": "%s"}\n' "${file#./}" \
      "$(stat -c %s "$file")" "$(sha256sum "$file" | cut -d' ' -f1)"
  done | sed '$!s/$/,/'
  printf '  ]\n}\n'
} >"$share/manifest.json"
chmod 644 "$share/manifest.json"
cd "$OLDPWD"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -cf - "$name" |
  gzip -9n >"$out"
