/** Shows a status as text with a colored dot, because color alone is not accessible. */
import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'plain'

const CLASSES: Readonly<Record<Tone, string>> = {
  good: 'badge on',
  warn: 'badge warn',
  bad: 'badge bad',
  plain: 'badge',
}

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={CLASSES[tone]}>{children}</span>
}
