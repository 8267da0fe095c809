#!/bin/sh
# fetch_debian_source.sh SOURCE_PACKAGE BINARY_PACKAGE: puts the source of a Debian package, patched
# as Debian builds it, into the current directory. The version is the one of the installed
# BINARY_PACKAGE, so that headers under /usr and what is built here agree.
#
# The sources come from the mirrors that apt uses on this machine for Debian itself, by a
# configuration of its own: the machine's apt needs no deb-src entry and is not changed.
set -eu
package=$1 binary=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/tree"

version=$(dpkg-query -W -f='${source:Version}' "$binary") || {
  echo "$binary is not installed; its version says which source of $package is wanted" >&2
  exit 1
}
apt-get indextargets --format '$(LABEL)|$(REPO_URI)|$(CODENAME)|$(COMPONENT)' \
  'Created-By: Packages' | sort -u | while IFS='|' read -r label uri codename component; do
  case "$label|$component" in
    Debian\|main | Debian-Security\|main)
      echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $codename main"
      ;;
  esac
done >"$work/sources.list"
[ -s "$work/sources.list" ] || {
  echo "apt knows no Debian mirror here; run apt-get update first" >&2
  exit 1
}
cat >"$work/apt.conf" <<EOF
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
APT::Sandbox::User "";
EOF
export APT_CONFIG="$work/apt.conf"
{
  apt-get update -qq
  (cd "$work" && apt-get source -qq --download-only "$package=$version")
  dpkg-source --no-copy -x "$work/${package}_"*.dsc "$work/tree/source"
} >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  echo "the source of $package $version could not be fetched (apt-get source, dpkg-source)" >&2
  exit 1
}
mv "$work/tree/source"/* .
printf '%s' "$version" >VERSION.debian
sha256sum "$work/${package}_"*.dsc | cut -d' ' -f1 | tr -d '\n' >DSC.sha256
