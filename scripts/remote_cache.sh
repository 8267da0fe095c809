#!/bin/sh
# A sweep through an HTTP cache, as a team or a build farm shares one: nginx on this machine, two
# builds from empty output bases, the second of which should compute nothing. Says how many actions
# ran and how many came from the cache.
#
#   scripts/remote_cache.sh [TARGET]     //examples/bazel:small_chips unless given
#
# Everything is in a scratch directory that goes away at the end. PORT=N for another port than 8980.
set -eu
cd "$(dirname "$0")/.."
. scripts/require.sh
require $BUILD_PACKAGES nginx-light
target=${1:-//examples/bazel:small_chips}
port=${PORT:-8980}
scratch=$(mktemp -d)

finish() {
  [ ! -f "$scratch/nginx.pid" ] || kill "$(cat "$scratch/nginx.pid")" || true
  for base in "$scratch"/base-*; do
    [ -d "$base" ] || continue
    bazel --output_base="$base" shutdown >/dev/null 2>&1 || true
  done
  chmod -R u+w "$scratch" && rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' INT TERM

# Bazel puts what actions made to /cas/ and what they were to /ac/, and gets it from there.
mkdir "$scratch/cache" "$scratch/temporary"
cat >"$scratch/nginx.conf" <<CONFIG
worker_processes 1;
pid $scratch/nginx.pid;
error_log $scratch/error.log;
$([ "$(id -u)" != 0 ] || echo "user root;")
events {}
http {
  access_log $scratch/access.log;
  client_body_temp_path $scratch/temporary;
  fastcgi_temp_path $scratch/temporary;
  proxy_temp_path $scratch/temporary;
  scgi_temp_path $scratch/temporary;
  uwsgi_temp_path $scratch/temporary;
  server {
    listen 127.0.0.1:$port;
    location / {
      root $scratch/cache;
      dav_methods PUT;
      create_full_put_path on;
      client_max_body_size 1G;
    }
  }
}
CONFIG
PATH=$PATH:/usr/sbin nginx -e "$scratch/error.log" -c "$scratch/nginx.conf"

# Of a build: seconds, and Bazel's own count of processes. No disk cache, whatever a bazelrc says.
build() {
  began=$(date +%s)
  bazel --output_base="$scratch/base-$1" build --disk_cache= \
    --remote_cache="http://127.0.0.1:$port/" --remote_upload_local_results=true \
    --noshow_progress --symlink_prefix="$scratch/link-$1-" "$target" >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    exit 1
  }
  ended=$(date +%s)
  echo "$1: $((ended - began)) s; $(sed -n 's/^INFO: \([0-9]* process.*\)/\1/p' "$scratch/log" | tail -n 1)"
  bazel --output_base="$scratch/base-$1" shutdown >/dev/null 2>&1
  # What the sweep made, so that both builds can be held against each other.
  (cd "$scratch/link-$1-bin" && find examples -name 'sweep.*' -type f -exec sha256sum {} + | sort) \
    >"$scratch/made-$1"
}

build first
build second
cmp "$scratch/made-first" "$scratch/made-second" || exit 1
echo "same: $(grep -c . "$scratch/made-second") files of both builds are the same"
requests() { grep -c "\"$1 /.* $2 " "$scratch/access.log" || true; }
echo "nginx: $(requests PUT 201) results put, $(requests GET 200) found, $(requests GET 404) not found;" \
  "$(du -sm "$scratch/cache" | cut -f1) MB"
