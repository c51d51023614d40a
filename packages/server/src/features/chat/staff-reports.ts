/** Staff commands that show a project's statistics and status. */
import { USER_STATUSES } from '@scriptward/client/user-statuses'
import type { Scope } from '../access/scopes.ts'
import { executionsByScript } from '../accounts/statistics.ts'
import { listProjectErrors } from '../errors/errors.ts'
import { countUsers } from '../keys/lists.ts'
import type { Answer, Asked, Command } from './command.ts'
import { countText } from './durations.ts'
import { STATUSES } from './key-text.ts'
import { lines, say, type Text, time, value } from './text.ts'

const WEEK_DAYS = 7
const MAX_ERRORS = 5

const stats: Command = {
  name: 'stats',
  summary: 'Show runs, keys and live sessions',
  scope: 'statistics:read',
  async run(asked) {
    const { deps, subject, person } = asked
    const { total } = await executionsByScript(deps, subject)
    const days = Object.values(total).slice(-WEEK_DAYS)
    const week = days.reduce((sum, count) => sum + count, 0)
    // Shows only what the caller's role can see in the dashboard.
    const ifMay = async (scope: Scope, name: string, text: () => Promise<Text>) =>
      person.scopes.has(scope) ? [{ name, text: await text() }] : []
    return {
      title: subject.project.name,
      text: say``,
      fields: [
        { name: 'Runs today', text: say`${value(days.at(-1) ?? 0)}` },
        { name: 'Runs in 7 days', text: say`${value(week)}` },
        ...(await ifMay('sessions:read', 'Live sessions', () => sessionText(asked))),
        ...(await ifMay('users:read', 'Keys', () => keysText(asked))),
      ],
    }
  },
}

async function sessionText({ deps, subject }: Asked): Promise<Text> {
  return say`${value(await deps.sessions.network.count({ project_id: subject.project.id }))}`
}

async function keysText({ deps, subject }: Asked): Promise<Text> {
  const counts = await countUsers(deps, subject.project)
  const shown = USER_STATUSES.filter((status) => counts[status] > 0)
  if (shown.length === 0) return say`None`
  return lines(...shown.map((status) => say`${STATUSES[status]}: ${value(counts[status])}`))
}

const errors: Command = {
  name: 'errors',
  summary: 'Show the most frequent open errors in your scripts',
  scope: 'scripts:read',
  async run({ deps, subject }): Promise<Answer> {
    const query = { state: 'open', sort: 'occurrences', limit: MAX_ERRORS } as const
    const { errors: found, total } = await listProjectErrors(deps, subject, query)
    if (found.length === 0) return { tone: 'good', text: say`There are no open errors.` }
    return {
      title: countText(total, 'open error'),
      text: say`${total > found.length ? 'These are the most frequent errors. The dashboard lists all of them.' : ''}`,
      fields: found.map((one) => ({ name: one.message, text: describeError(one) })),
    }
  },
}

type ListedError = Awaited<ReturnType<typeof listProjectErrors>>['errors'][number]

function describeError({ script_name, place, customers, occurrences, last_seen }: ListedError): Text {
  const line = place === null || place.line === null ? '' : `:${place.line}`
  const file = place?.file ?? script_name
  const where = file === script_name ? `${file}${line}` : `${script_name}, ${file}${line}`
  return lines(
    say`${value(where)}`,
    say`${value(countText(customers, 'user'))}, ${value(countText(occurrences, 'time'))}, last ${time(last_seen)}`,
  )
}

export const staffReportCommands: readonly Command[] = [stats, errors]
