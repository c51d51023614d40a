/**
 * The crash-free percentage of customers or runs. A percentage below the stable range is shown as a badge,
 * with a color and a label.
 */
import { percent } from '../lib/format.ts'
import { stabilityOf, TONES } from '../lib/stability.ts'
import { text } from '../messages/text.ts'
import { Badge } from './badge.tsx'

export function CrashFree({ share }: { share: number | null }) {
  const t = text.health
  if (share === null) return <span className="hint">{t.none}</span>
  const stability = stabilityOf(share)
  if (stability === 'stable') return <strong>{percent(share)}</strong>
  return <Badge tone={TONES[stability]}>{t.rated(percent(share), t.stability[stability])}</Badge>
}
