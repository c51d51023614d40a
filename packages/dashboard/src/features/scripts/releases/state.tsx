import { Badge, type Tone } from '../../../components/badge.tsx'
import { exactly, when } from '../../../lib/when.ts'
import { text } from '../../../messages/text.ts'
import { type Release, type ShownState, stateOf } from './queries.ts'

const t = text.releases
const TONES: Readonly<Record<ShownState, Tone>> = {
  running: 'good',
  paused: 'warn',
  held: 'bad',
  completed: 'good',
  rolled_back: 'bad',
  rolled_back_by_guard: 'bad',
  replaced: 'plain',
}

export function ReleaseState({ release }: { release: Release }) {
  const state = stateOf(release)
  return <Badge tone={TONES[state]}>{t.states[state]}</Badge>
}

/** Describes the next step of an open release. */
export function NextStep({ release }: { release: Release }) {
  const { percent, next_at, steps } = release
  if (stateOf(release) !== 'running') return t.stopped(percent)
  const [share] = steps
  if (next_at === null) return t.stays(percent)
  return (
    <>
      {share === undefined ? t.completes : t.next(share)}{' '}
      <time dateTime={new Date(next_at).toISOString()} title={when(next_at)}>
        {exactly(next_at)}
      </time>
    </>
  )
}
