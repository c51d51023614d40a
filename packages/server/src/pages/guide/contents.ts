/** The pages of the guide, in reading order. */

export type Group = {
  readonly title: string
  /** Maps files below `docs/` to their labels in the menu. */
  readonly files: Readonly<Record<string, string>>
}

export const CONTENTS: readonly Group[] = [
  {
    title: 'Get started',
    files: {
      'guide/index.md': 'I want to…',
      'guide/start.md': 'Install and start',
      'guide/first-script.md': 'Your first script',
      'guide/presets.md': 'Choose a preset',
      'playground.md': 'The playground',
      'dashboard.md': 'The dashboard',
      'guide/command-line.md': 'The command line',
      'guide/faq.md': 'FAQ',
      'guide/compare.md': 'Compared with other services',
    },
  },
  {
    title: 'Sell',
    files: {
      'guide/selling-keys.md': 'Sell license keys',
      'guide/shops.md': 'Connect a shop',
      'guide/plans.md': 'Plans and expiry',
      'guide/hub.md': 'A hub in ten minutes',
      'guide/discord.md': 'Run a Discord server',
      'guide/chat-bot.md': 'Set up a Discord bot',
      'guide/own-bot.md': 'Write your own bot',
      'ad-system.md': 'Keys for ads',
      'guide/ad-networks.md': 'Ad networks',
      'guide/moving-in.md': 'Move from another service',
      'guide/tags.md': 'Tags and metadata',
      'guide/undo.md': 'Bulk changes and undo',
      'branding.md': 'Branding',
      'checking-keys.md': 'Check keys in other software',
    },
  },
  {
    title: 'Protect and watch',
    files: {
      'guide/against-dumping.md': 'Protect against dumping',
      'guide/ask.md': 'Server code',
      'guide/bans.md': 'Block devices and customers',
      'tracing.md': 'Trace a leak',
      'guide/variables.md': 'Variables and announcements',
      'sessions.md': 'Live sessions',
      'guide/releases.md': 'Ship without breaking customers',
      'guide/executors.md': 'Executors',
      'errors.md': 'Script errors',
      'webhooks.md': 'Webhooks',
      'guide/script-webhooks.md': 'Webhooks from scripts',
      'guide/ci.md': 'Publish from CI',
    },
  },
  {
    title: 'Run the server',
    files: {
      'server.md': 'Install on a server',
      'self-hosting.md': 'Configure and maintain',
      'guide/windows.md': 'Windows',
      'guide/backup.md': 'Back up and restore',
      'guide/upgrade.md': 'Upgrade',
      'guide/scaling.md': 'Scale',
      'logs.md': 'Logs, metrics and traces',
      'guide/lost-access.md': 'Regain lost access',
      'guide/troubleshooting.md': 'Troubleshooting',
      'security.md': 'Security',
      'guide/license.md': 'License',
    },
  },
  {
    title: 'Accounts and teams',
    files: {
      'people.md': 'Accounts and sign-in',
      'second-factors.md': 'Two-factor authentication',
      'teams.md': 'Teams',
      'access.md': 'Permissions and roles',
      'audit.md': 'Audit log',
    },
  },
  {
    title: 'API',
    files: {
      'reference.md': 'API reference',
      'tokens.md': 'Tokens',
      'guide/sdk.md': 'JavaScript and TypeScript',
      'requests.md': 'Requests and retries',
      'lists-and-counts.md': 'Lists and counts',
      'api/webhooks.md': 'Webhook events',
      'api/scopes.md': 'Scopes',
      'choices.md': 'API details',
    },
  },
  {
    title: 'In depth',
    files: {
      'loader.md': 'The loader',
      'obfuscator.md': 'The obfuscator',
      'proof.md': 'Smoke tests',
      'client-protocol.md': 'Client protocol',
      'glossary.md': 'Glossary',
    },
  },
]

/** The last segment of a page's URL. */
export function nameOf(file: string): string {
  return file
    .replace(/^guide\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-')
}
