import type { Column } from '../../components/table/table.tsx'
import { customerName, hasName, type Named } from '../../lib/customer-name.ts'
import { shortKey } from '../../lib/short-key.ts'
import { text } from '../../messages/text.ts'
import { Age } from './age.tsx'
import type { Session } from './live.ts'
import { StateBadge } from './state-badge.tsx'

export function columnsOf(
  scripts: ReadonlyMap<string, string>,
  nameOf: (key: string | null) => Named,
): readonly Column<Session>[] {
  const t = text.sessions
  return [
    {
      id: 'user',
      title: t.user,
      isMain: true,
      cell: ({ user_key }) => <Customer of={nameOf(user_key)} />,
    },
    { id: 'state', title: t.state, place: 'end', cell: ({ state }) => <StateBadge state={state} /> },
    {
      id: 'script',
      title: t.script,
      place: 'below',
      cell: ({ script_id }) => scripts.get(script_id) ?? script_id,
    },
    { id: 'version', title: t.version, isNumber: true, cell: ({ script_version }) => script_version },
    { id: 'executor', title: t.executor, cell: ({ executor }) => executor },
    { id: 'player', title: t.gameUser, cell: ({ game_user_id }) => game_user_id ?? '' },
    { id: 'place', title: t.place, cell: ({ place_id }) => place_id ?? '' },
    { id: 'job', title: t.job, cell: ({ job_id }) => job_id ?? '' },
    { id: 'since', title: t.since, place: 'end-below', cell: ({ created_at }) => <Age since={created_at} /> },
  ]
}

function Customer({ of }: { of: Named }) {
  if (of.user_key === null) return text.sessions.noUser
  const name = <bdi>{customerName(of)}</bdi>
  return hasName(of) ? name : <code>{shortKey(of.user_key)}</code>
}
