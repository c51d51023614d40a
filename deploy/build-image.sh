#!/usr/bin/env bash
# Builds the image from deploy/Dockerfile and runs it once. Use it on a machine that can access the package
# repositories of Debian and npm, but no image registry: the script builds both base images from packages. Run
# it as root on Debian with buildah, mmdebstrap and npm installed. It leaves no processes running.
#
#   deploy/build-image.sh [name of the image]
set -euo pipefail
cd "$(dirname "$0")/.."

image=${1:-localhost/scriptward}
work=$(mktemp -d)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
trap 'rm -rf "$work"' EXIT
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

# Creates a single-layer image from a folder.
image_of() { # folder, name, setting of its environment
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$1" / >/dev/null
  [ $# -lt 3 ] || buildah config --env "$3" "$container"
  buildah commit --quiet --rm "$container" "$2" >/dev/null
}

echo "1/4  Building the build base image: Debian, Node.js and npm"
node=$(node --input-type=module -e "import { runtime } from './scripts/runtime.mjs'; console.log(await runtime())")
mkdir "$work/build"
mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$work/build.tar"
tar -xf "$work/build.tar" -C "$work/build" --exclude='./dev/*'
install -D "$node" "$work/build/usr/local/bin/node"
npm pack --silent --pack-destination "$work" npm@11.6.2 >/dev/null
mkdir -p "$work/build/usr/local/lib/node_modules/npm"
tar -xzf "$work"/npm-*.tgz -C "$work/build/usr/local/lib/node_modules/npm" --strip-components=1
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/build/usr/local/bin/npm"
# The network may have its own certificate authority, so the build trusts the authorities that this machine
# trusts. They are not added to the image.
cp /etc/ssl/certs/ca-certificates.crt "$work/build/etc/ssl/certs/"
image_of "$work/build" localhost/scriptward-build NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt

echo "2/4  Building the runtime base image: C and C++ libraries, no shell"
mkdir "$work/packages" "$work/run"
(cd "$work/packages" && apt-get download -qq base-files netbase libc6 libgcc-s1 libstdc++6)
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work/run"; done
rm -rf "$work"/run/usr/share/{doc,man,locale,lintian,info} "$work"/run/usr/lib/*/gconv
image_of "$work/run" localhost/scriptward-base

echo "3/4  Building the image"
buildah build --quiet --format docker -f deploy/Dockerfile \
  --build-arg BUILD=localhost/scriptward-build --build-arg BASE=localhost/scriptward-base \
  -t "$image" . >/dev/null

echo "4/4  Starting it once"
deploy/check-image.sh "$image"
