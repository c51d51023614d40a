/** The page of everything that a webhook is told, made from the catalogue of events and the schedule of retries. */
import {
  EVENT_TYPES,
  events,
  OF_THE_ADDRESS,
} from '../packages/server/src/features/webhooks/events/event-catalogue.ts'
import { type Format, WAITS_MS } from '../packages/server/src/features/webhooks/retry.ts'

const MEMBERS = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
} as const

export function webhooksPage(): string {
  const rows = EVENT_TYPES.map((type) => {
    const { kind, title, summary } = events[type]
    const address = OF_THE_ADDRESS.has(type) ? 'the one concerned' : `\`${MEMBERS[kind]}\``
    return row([`\`${type}\``, summary, address, title])
  })
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
