/** What the guide holds, in the order of reading. */

export type Group = {
  readonly title: string
  /** Files below `docs/` → how the menu calls them. */
  readonly files: Readonly<Record<string, string>>
}

export const CONTENTS: readonly Group[] = [
  {
    title: 'Begin',
    files: {
      'guide/start.md': 'Start',
      'guide/first-script.md': 'Your first script',
      'guide/presets.md': 'Which preset?',
      'dashboard.md': 'The dashboard',
      'guide/command-line.md': 'The command line',
    },
  },
  {
    title: 'Sell and watch',
    files: {
      'guide/plans.md': 'Plans',
      'guide/tags.md': 'Tags, metadata, handing out',
      'guide/variables.md': 'Variables and announcements',
      'guide/bans.md': 'Bans and shared keys',
      'guide/selling-keys.md': 'Selling keys',
      'guide/undo.md': 'Dry run and undo',
      'ad-system.md': 'Keys for ads',
      'sessions.md': 'Sessions',
      'webhooks.md': 'Webhooks',
      'guide/script-webhooks.md': 'Webhooks from scripts',
      'checking-keys.md': 'Checking keys elsewhere',
      'guide/chat-bot.md': 'Chat bot',
      'guide/sdk.md': 'JavaScript and TypeScript',
      'branding.md': 'Branding',
      'guide/against-dumping.md': 'How not to be dumped',
      'guide/ask.md': 'Ask the server',
      'tracing.md': 'Who leaked it?',
      'errors.md': 'Which line failed?',
      'guide/moving-in.md': 'Moving from another service',
      'guide/ci.md': 'Publishing from CI',
    },
  },
  {
    title: 'Run it',
    files: {
      'server.md': 'Putting it on a server',
      'self-hosting.md': 'Settings and care',
      'logs.md': 'Logs, metrics, traces',
      'guide/backup.md': 'Backup',
      'guide/upgrade.md': 'Upgrade',
      'guide/scaling.md': 'Scaling',
      'guide/troubleshooting.md': 'Troubleshooting',
      'security.md': 'Security',
    },
  },
  {
    title: 'Work together',
    files: {
      'people.md': 'People',
      'second-factors.md': 'Second factors',
      'teams.md': 'Teams',
      'access.md': 'Scopes and roles',
      'audit.md': 'Audit log',
    },
  },
  {
    title: 'Program it',
    files: {
      'reference.md': 'API reference',
      'tokens.md': 'Tokens',
      'requests.md': 'Requests and retries',
      'lists-and-counts.md': 'Lists and counts',
      'api/webhooks.md': 'Webhook events',
      'api/scopes.md': 'Table of scopes',
      'choices.md': 'Finer points',
    },
  },
  {
    title: 'In depth',
    files: {
      'loader.md': 'The loader',
      'obfuscator.md': 'The obfuscator',
      'proof.md': 'Proof tests',
      'client-protocol.md': 'Client protocol',
      'glossary.md': 'Glossary',
    },
  },
]

/** The last part of the address of a file's page. */
export function nameOf(file: string): string {
  return file
    .replace(/^guide\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-')
}
