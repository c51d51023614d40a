#!/bin/sh
# Creates a project, a protected script and a user with a key, and runs the script with this key. Needs curl,
# lua5.1 and a running server. SCRIPTWARD_TOKEN is your account's API key.
set -eu
: "${SCRIPTWARD_TOKEN:=${SCRIPTWARD_KEY:?set SCRIPTWARD_TOKEN to the API key of your account}}"
: "${SCRIPTWARD_URL:=http://127.0.0.1:8080}"
export SCRIPTWARD_TOKEN SCRIPTWARD_URL
here=$(dirname "$0")
PATH="$here/../..:$PATH"

project=$(scriptward projects add "Quick start")
script=$(scriptward push "$here/hello.lua" --project "$project" |
  sed -n 's/^created \(scr_[A-Za-z0-9]*\).*/\1/p')
user=$(scriptward users add --note "first friend" --project "$project")

loader=$(mktemp)
trap 'rm -f "$loader"' EXIT
curl -sS "$SCRIPTWARD_URL/client/v1/loader/$script" -o "$loader"
SCRIPT_KEY=$user lua5.1 "$loader"
