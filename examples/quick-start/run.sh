#!/bin/sh
# Makes a project, a protected script and a user key, and runs the script as that user.
# Needs curl, lua5.1 and a running service; SCRIPTWARD_KEY is the API key of your account.
set -eu
: "${SCRIPTWARD_KEY:?set it to the API key of your account}"
API=${SCRIPTWARD_URL:-http://127.0.0.1:8080}
here=$(dirname "$0")

# Sends JSON and prints one member of the answer.
ask() { # path, body, member
  curl -sS --fail-with-body "$API$1" -H "token: $SCRIPTWARD_KEY" -H 'content-type: application/json' -d "$2" |
    sed -n "s/.*\"$3\":\"\([^\"]*\)\".*/\1/p"
}

project=$(ask /v1/projects/new '{"name":"Quick start"}' project_id)
script=$("$here/../../scriptward" push "$here/hello.lua" --url "$API" --project "$project" |
  sed -n 's/^created \(scr_[A-Za-z0-9]*\).*/\1/p')
user=$(ask "/v1/projects/$project/users/new" '{"note":"first friend"}' user_key)

loader=$(mktemp)
trap 'rm -f "$loader"' EXIT
curl -sS "$API/client/v1/loader/$script" -o "$loader"
SCRIPT_KEY=$user lua5.1 "$loader"
