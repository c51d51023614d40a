#!/usr/bin/env bash
# Runs an image under the same restrictions as deploy/compose.yaml, with the image's user, settings, command
# and health check: read-only root file system, no new privileges, and writable /data and /tmp. Prints the
# size and the startup time. Fails above 250 MB or 5 s.
#
#   deploy/check-image.sh [name of the image]
set -euo pipefail

image=${1:-localhost/scriptward}
export STORAGE_DRIVER=vfs
work=$(mktemp -d)
container=$(buildah from --pull-never "$image")
root=$(buildah mount "$container")
service=
finish() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  wait
  buildah umount "$container" >/dev/null
  buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap finish EXIT

buildah inspect --type image "$image" >"$work/image.json"
# Prints one field of the image configuration, one item per line.
config() {
  node -e 'const [file, ...names] = process.argv.slice(1)
    const { config } = JSON.parse(require("fs").readFileSync(file)).Docker
    console.log([names.reduce((value, name) => value[name], config)].flat().join("\n"))' "$work/image.json" ${1//./ }
}
IFS=: read -r user group < <(config User)
mapfile -t environment < <(config Env)
mapfile -t start < <(config Entrypoint; config Cmd)
mapfile -t health < <(config Healthcheck.Test)
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
environment+=("SCRIPTWARD_PORT=$port")
# An empty volume inherits the owner and mode of the image's folder.
cp -a "$root/data" "$work/data"

# Runs a command as the image's user on a read-only root file system.
inside() {
  exec unshare --mount bash -euc '
    root=$1 data=$2 user=$3 group=$4; shift 4
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$data" "$root/data"
    mount -o remount,ro,bind "$root"
    exec setpriv --no-new-privs chroot --userspec="$user:$group" --groups= "$root" "$@"
  ' _ "$root" "$work/data" "$user" "$group" "$@"
}

[ "$user" != 0 ] || { echo "The image runs as root."; exit 1; }
compgen -G "$root/opt/scriptward/cache/*-$user/*" >/dev/null || { echo "No code is compiled for user $user."; exit 1; }
megabytes=$(($(du -s --block-size=1 "$root" | cut -f1) / 1000000))
began=$(date +%s%3N)
env -i "${environment[@]}" bash -c "$(declare -f inside); root=$root work=$work user=$user group=$group; inside \"\$@\"" _ "${start[@]}" \
  >"$work/out" 2>"$work/err" &
service=$!
until curl -fsS "http://127.0.0.1:$port/readyz" >/dev/null 2>&1; do
  kill -0 "$service" 2>/dev/null || { cat "$work/err"; exit 1; }
  sleep 0.05
done
took=$(($(date +%s%3N) - began))
env -i "${environment[@]}" bash -c "$(declare -f inside); root=$root work=$work user=$user group=$group; inside \"\$@\"" _ "${health[@]:1}"
echo "image $image: $megabytes MB, ready after $took ms, healthy, as user $user on a read-only root"
[ "$megabytes" -le 250 ] || { echo "The image is larger than 250 MB."; exit 1; }
[ "$took" -le 5000 ] || { echo "The image took more than 5 s to start."; exit 1; }
