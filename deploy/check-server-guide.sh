#!/usr/bin/env bash
# Follows docs/server.md step by step on a fresh Debian 13 with systemd and Caddy, up to a protected script
# over HTTPS. It packs and installs the package in this folder instead of the published package. Run it as
# root on Debian with mmdebstrap, systemd-container and npm. The new system shares this machine's network, so
# ports 80, 443, 2019 and 8080 must be free. It leaves no processes running.
#
#   deploy/check-server-guide.sh
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
root=$work/debian
machine=
finish() {
  [ -z "$machine" ] || { kill "$machine" 2>/dev/null && wait "$machine"; } || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT
node=$(node --input-type=module -e "import { runtime } from './scripts/runtime.mjs'; console.log(await runtime())")

echo "1/4  Packing the package"
npm run --silent pack
package=$(basename .tsbuild/packages/scriptward-[0-9]*.tgz)

echo "2/4  Installing Debian 13"
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus trixie "$root"
# Adds the guide's example host name, as an installer would.
printf '127.0.0.1 localhost ward.example.org\n' >"$root/etc/hosts"
# The network may have its own certificate authority, so the new system trusts the authorities that this
# machine trusts.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/trusted.crt"

echo "3/4  Booting it"
# Doesn't request a systemd scope if this machine doesn't run systemd.
SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 systemd-nspawn --quiet --boot --register=no --keep-unit --resolv-conf=copy-host \
  --directory="$root" --bind-ro="$PWD/.tsbuild/packages:/packages" >"$work/console" 2>&1 &
machine=$!
inside() {
  nsenter --target "$(pgrep --parent "$machine")" --mount --uts --ipc --pid --root --wd env -i \
    HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
for _ in $(seq 300); do
  inside systemctl is-system-running --wait >"$work/state" 2>/dev/null && break
  sleep 0.2
done
[ "$(cat "$work/state")" = running ] || { cat "$work/console"; exit 1; }

echo "4/4  Following the guide"
"$node" --input-type=module -e "
  import { readBlocks, scriptOf } from './test/guide-blocks.ts'
  const [published, packed] = ['/opt/scriptward scriptward\n', '/opt/scriptward /packages/$package\n']
  const guide = scriptOf(readBlocks('docs/server.md'))
  if (!guide.includes(published)) throw new Error('docs/server.md does not install the package.')
  console.log(guide.replace(published, packed))
" >"$root/root/guide.sh"
inside mkdir /root/printed
inside env OUT=/root/printed NODE_EXTRA_CA_CERTS=/etc/trusted.crt npm_config_cafile=/etc/trusted.crt bash /root/guide.sh || {
  echo "Output of the last block:"
  cat "$root/root/printed/$(ls "$root/root/printed" | sort -n | tail -1)"
  exit 1
}
grep -rqx 'Hello!' "$root/root/printed" || { echo "No protected script ran."; exit 1; }
inside systemd-analyze security --threshold=20 scriptward >"$work/exposure" || { tail -1 "$work/exposure"; exit 1; }
echo "docs/server.md works: a protected script ran over https; $(tail -1 "$work/exposure" | cut -c5-)"
