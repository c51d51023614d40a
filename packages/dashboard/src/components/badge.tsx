/** A status with text and a dot, so that it does not depend on color alone. */
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
