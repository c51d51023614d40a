/** Examples for the help of each command. A group shows the first example of each of its first commands. */

import type { Command } from 'commander'

const MAX_PER_GROUP = 3

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  login: [
    'scriptward login --url https://ward.example.com',
    'scriptward login --no-browser --scope scripts:write --expires 30d',
  ],
  logout: ['scriptward logout'],
  whoami: ['scriptward whoami', 'scriptward whoami --json'],
  open: ['scriptward open', 'scriptward open users --print'],
  'projects list': ['scriptward projects'],
  'projects add': ['scriptward projects add "My game"'],
  'projects show': ['scriptward projects show prj_…'],
  'projects edit': [
    'scriptward projects edit prj_… --name "My other game"',
    'scriptward projects edit --allow-checks on --reset-cooldown 1d',
  ],
  'projects remove': ['scriptward projects remove prj_… --yes'],
  'tokens list': ['scriptward tokens'],
  'tokens add': ['scriptward tokens add "Shop CI" --scopes scripts:write --projects prj_… --expires 90d'],
  'tokens show': ['scriptward tokens show tok_…'],
  'tokens edit': ['scriptward tokens edit tok_… --networks 203.0.113.0/24'],
  'tokens rotate': ['scriptward tokens rotate tok_… --overlap 1h'],
  'tokens remove': ['scriptward tokens remove tok_… --yes'],
  init: ['scriptward init --new-project "My game" --entry main.lua'],
  push: [
    'scriptward push',
    'scriptward push main.lua --project prj_… --set preset=max',
    'scriptward push --percent 5 --over 6h',
    'scriptward push --watch',
  ],
  run: ['scriptward run main.lua', 'scriptward run main.lua --local --for 10s'],
  'scripts list': ['scriptward scripts'],
  'scripts show': ['scriptward scripts show scr_…'],
  'scripts edit': ['scriptward scripts edit scr_… --name "My script" --kick-outdated on'],
  'scripts disable': ['scriptward scripts disable scr_…'],
  'scripts enable': ['scriptward scripts enable scr_…'],
  'scripts remove': ['scriptward scripts remove scr_… --yes'],
  versions: ['scriptward versions', 'scriptward versions --script scr_… --limit 5'],
  activate: ['scriptward activate 3'],
  'releases list': ['scriptward releases', 'scriptward releases list --limit 5 --json'],
  'releases start': [
    'scriptward releases start 4 --percent 10',
    'scriptward releases start 4 --channel beta --now',
  ],
  'releases show': ['scriptward releases show', 'scriptward releases show rel_…'],
  'releases edit': ['scriptward releases edit --percent 50', 'scriptward releases edit rel_… --guard hold'],
  'releases pause': ['scriptward releases pause'],
  'releases continue': ['scriptward releases continue'],
  'releases rollback': ['scriptward releases rollback', 'scriptward releases rollback --channel beta'],
  'channels list': ['scriptward channels'],
  'channels set': [
    'scriptward channels set beta --script-version 4 --tags tester',
    'scriptward channels set early --plans pln_…,pln_…',
  ],
  'channels remove': ['scriptward channels remove beta'],
  yank: ['scriptward yank 3', 'scriptward yank 3 --undo'],
  diff: ['scriptward diff 2 3'],
  'functions list': ['scriptward functions', 'scriptward functions list --script-version 3'],
  'functions show': ['scriptward functions show price'],
  'functions put': [
    'scriptward functions put functions/*.luau',
    'scriptward functions put - --name price < price.luau',
  ],
  'functions remove': ['scriptward functions remove price --yes'],
  'functions try': [`scriptward functions try price gold 3 --run '{"plan": "Pro"}'`],
  health: ['scriptward health', 'scriptward health --script-version 3 --executors'],
  'errors list': ['scriptward errors', 'scriptward errors list --state all --script-version 3'],
  'errors show': ['scriptward errors show err_…'],
  'errors resolve': ['scriptward errors resolve err_… --note "fixed in version 4"'],
  'errors ignore': ['scriptward errors ignore err_…'],
  'errors reopen': ['scriptward errors reopen err_…'],
  traceback: ['scriptward traceback error.txt', 'scriptward traceback error.txt --map map.json'],
  trace: ['scriptward trace leaked.lua', 'scriptward trace leaked.lua --all'],
  'users list': ['scriptward users', 'scriptward users list --status expired --limit 10'],
  'users add': ['scriptward users add --note "first friend" --expires 30d'],
  'users generate': ['scriptward users generate 100 --plan pln_…'],
  'users edit': ['scriptward users edit KEY --note "best friend" --expires never'],
  'users extend': ['scriptward users extend 30d KEY', 'scriptward users extend 1d --all'],
  'users ban': ['scriptward users ban KEY --for 7d --reason chargeback'],
  'users unban': ['scriptward users unban KEY'],
  'users reset': ['scriptward users reset KEY'],
  'users remove': ['scriptward users remove KEY --yes'],
  'users bulk': [
    'scriptward users bulk extend --for 7d --plan pln_… --dry-run',
    'scriptward users bulk tag --tags autumn --status unused --yes',
    'scriptward users bulk plan --to pln_… KEY KEY',
  ],
  'users pause': ['scriptward users pause KEY'],
  'users resume': ['scriptward users resume KEY'],
  'users devices': ['scriptward users devices KEY'],
  'users name-device': ['scriptward users name-device KEY dev_… "Desk"'],
  'users release': ['scriptward users release KEY dev_…'],
  'users import': [
    'scriptward users import users.json --dry-run',
    'scriptward users import keys.txt --plan pln_…',
  ],
  'users export': ['scriptward users export -o users.json'],
  'plans list': ['scriptward plans'],
  'plans add': [
    'scriptward plans add Pro --clock first_use:30d --grace 1d --max-devices 2 --feature turbo --feature slots=3',
  ],
  'plans edit': ['scriptward plans edit pln_… --max-devices 3 --resellable on'],
  'plans remove': ['scriptward plans remove pln_… --move-to pln_… --yes'],
  'variables get': ['scriptward variables', 'scriptward variables get motd'],
  'variables set': [
    'scriptward variables set motd "Welcome back"',
    'scriptward variables set rates @rates.json --as-json',
  ],
  'variables unset': ['scriptward variables unset motd'],
  'announcements list': ['scriptward announcements'],
  'announcements add': [
    `scriptward announcements add 'Back at ten: we are moving to a faster server.' --until 2h --level warning`,
  ],
  'announcements remove': ['scriptward announcements remove ann_…'],
  'bans list': ['scriptward bans'],
  'bans add': [
    `scriptward bans add network 203.0.113.0/24 --reason 'leaks keys' --for 30d`,
    'scriptward bans add device --user KEY',
  ],
  'bans edit': ['scriptward bans edit ban_… --for 30d'],
  'bans remove': ['scriptward bans remove ban_…'],
  'changes list': ['scriptward changes'],
  'changes undo': ['scriptward changes undo chg_…'],
  'sessions list': ['scriptward sessions', 'scriptward sessions list --user KEY'],
  'sessions message': [`scriptward sessions message notice --all --data '{"text": "Update tonight"}'`],
  'sessions kick': ['scriptward sessions kick --user KEY'],
  logs: ['scriptward logs', 'scriptward logs -f --script scr_…'],
  denials: ['scriptward denials --since 24h --reason fingerprint_mismatch'],
  stats: ['scriptward stats --since 24h'],
  'webhooks list': ['scriptward webhooks'],
  'webhooks deliveries': ['scriptward webhooks deliveries --state failed'],
  'webhooks resend': ['scriptward webhooks resend whd_…'],
  'webhooks test': ['scriptward webhooks test execution'],
  'webhooks add': [
    'scriptward webhooks add https://shop.example.com/hook --name Shop --events user.expiring,user.expired',
  ],
  'webhooks edit': ['scriptward webhooks edit whk_… --off'],
  'webhooks rotate': ['scriptward webhooks rotate whk_… --overlap 1h'],
  'webhooks remove': ['scriptward webhooks remove whk_… --yes'],
  'webhooks recover': ['scriptward webhooks recover whk_… --since 12h --undelivered'],
  obfuscate: ['scriptward obfuscate main.lua -o protected.lua --preset max --map map.json'],
  completion: [
    'scriptward completion bash > ~/.local/share/bash-completion/completions/scriptward',
    `scriptward completion zsh > "\${fpath[1]}/_scriptward"`,
    'scriptward completion fish > ~/.config/fish/completions/scriptward.fish',
  ],
  version: ['scriptward version --json'],
  help: ['scriptward help users add'],
}

export function examplesOf(command: Command): readonly string[] {
  const own = EXAMPLES[wordsOf(command)]
  if (own !== undefined || command.parent === null) return own ?? []
  return command.commands.flatMap((one) => examplesOf(one).slice(0, 1)).slice(0, MAX_PER_GROUP)
}

function wordsOf(command: Command): string {
  const { parent } = command
  return parent === null ? '' : `${wordsOf(parent)} ${command.name()}`.trim()
}
