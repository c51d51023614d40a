#!/bin/sh
# Creates a project with scripts for two games, and starts both scripts with one line. Needs curl, lua5.1 and
# a running server. SCRIPTWARD_TOKEN is your account's API key. Prints a project and a key for window.luau and
# own-window.luau.
set -eu
: "${SCRIPTWARD_TOKEN:=${SCRIPTWARD_KEY:?set SCRIPTWARD_TOKEN to the API key of your account}}"
: "${SCRIPTWARD_URL:=http://127.0.0.1:8080}"
export SCRIPTWARD_TOKEN SCRIPTWARD_URL
here=$(dirname "$0")
PATH="$here/../..:$PATH"

project=$(scriptward projects add "Garden Hub")
scriptward projects edit "$project" --allow-checks on >/dev/null
add() {
  script=$(scriptward push "$here/$1.lua" --project "$project" | sed -n 's/^created \(scr_[A-Za-z0-9]*\).*/\1/p')
  scriptward scripts edit "$script" --games "$2" >/dev/null
}
add farm 510000001
add race 510000002
user=$(scriptward users add --note "first friend" --project "$project")

# In a real game, the hub line detects the game's ID.
loader=$(mktemp)
trap 'rm -f "$loader"' EXIT
for game in 510000001 510000002; do
  curl -sS "$SCRIPTWARD_URL/client/v1/hub/$project?game=$game&rt=51" -o "$loader"
  SCRIPT_KEY=$user lua5.1 "$loader"
done
echo "project: $project"
echo "key: $(scriptward users add --note "second friend" --project "$project")"
