/** Whether a session is connected. */
import { Badge } from '../../parts/badge.tsx'
import { text } from '../../text/text.ts'
import type { Session } from './live.ts'

export function StateBadge({ state }: Pick<Session, 'state'>) {
  return <Badge tone={state === 'ready' ? 'good' : 'warn'}>{text.sessions.states[state]}</Badge>
}
