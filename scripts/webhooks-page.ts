/** The page of everything that a webhook is told, made from the catalogue of events and the schedule of retries. */
import { events } from '../packages/server/src/domain/webhooks/events.ts'
import { type Format, WAITS_MS } from '../packages/server/src/domain/webhooks/retry.ts'

const MEMBERS = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
} as const

export function webhooksPage(): string {
  const rows = Object.entries(events).map(([type, { kind, title, summary }]) =>
    row([
      `\`${type}\``,
      summary,
      WITHOUT_CHANNEL.has(type) ? 'the one concerned' : `\`${MEMBERS[kind]}\``,
      title,
    ]),
  )
  return [
    '# Events of webhooks',
    'Made by `npm run generate`. How messages look, are signed and are retried is told in [webhooks.md](../webhooks.md).',
    [row(['Type', 'When', 'Address', 'Title in a chat']), row(['---', '---', '---', '---']), ...rows].join(
      '\n',
    ),
    '## Attempts',
    `Generic form: ${schedule('generic')}. Chat form: ${schedule('chat')}. Each wait differs by up to a fifth.`,
  ]
    .join('\n\n')
    .concat('\n')
}

const WITHOUT_CHANNEL: ReadonlySet<string> = new Set(['webhook.test', 'events.left_out'])

function schedule(format: Format): string {
  return `at once, then after ${WAITS_MS[format].map(wait).join(', ')}`
}

function wait(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
