/** Shows whether the list receives live updates. */
import { Badge } from '../../components/badge.tsx'
import { text } from '../../messages/text.ts'
import type { Stream } from './live.ts'

export function StreamState({ stream, onAgain }: { stream: Stream; onAgain: () => void }) {
  const t = text.sessions
  if (stream === 'live') return <Badge tone="good">{t.live}</Badge>
  if (stream === 'connecting') return <Badge tone="plain">{t.connecting}</Badge>
  return (
    <div className="notice warn" role="status">
      <span>{stream === 'lost' ? t.lost : t.ended}</span>
      {stream === 'ended' && (
        <button type="button" onClick={onAgain}>
          {t.connect}
        </button>
      )}
    </div>
  )
}
