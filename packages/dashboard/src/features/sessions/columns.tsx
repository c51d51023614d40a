import type { Column } from '../../components/table/table.tsx'
import { text } from '../../messages/text.ts'
import { Age } from './age.tsx'
import type { Session } from './live.ts'
import { StateBadge } from './state-badge.tsx'

export function columnsOf(scripts: ReadonlyMap<string, string>): readonly Column<Session>[] {
  const t = text.sessions
  return [
    {
      id: 'user',
      title: t.user,
      isMain: true,
      cell: ({ user_key }) => (user_key ? <code>{short(user_key)}</code> : t.noUser),
    },
    { id: 'state', title: t.state, cell: ({ state }) => <StateBadge state={state} /> },
    { id: 'script', title: t.script, cell: ({ script_id }) => scripts.get(script_id) ?? script_id },
    { id: 'version', title: t.version, isNumber: true, cell: ({ script_version }) => script_version },
    { id: 'executor', title: t.executor, cell: ({ executor }) => executor },
    { id: 'player', title: t.gameUser, cell: ({ game_user_id }) => game_user_id ?? '' },
    { id: 'place', title: t.place, cell: ({ place_id }) => place_id ?? '' },
    { id: 'job', title: t.job, cell: ({ job_id }) => job_id ?? '' },
    { id: 'since', title: t.since, cell: ({ created_at }) => <Age since={created_at} /> },
  ]
}

function short(key: string): string {
  return key.length > 12 ? `${key.slice(0, 8)}…` : key
}
