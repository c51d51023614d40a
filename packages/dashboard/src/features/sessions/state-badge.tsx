import { Badge } from '../../components/badge.tsx'
import { text } from '../../messages/text.ts'
import type { Session } from './live.ts'

export function StateBadge({ state }: Pick<Session, 'state'>) {
  return <Badge tone={state === 'ready' ? 'good' : 'warn'}>{text.sessions.states[state]}</Badge>
}
