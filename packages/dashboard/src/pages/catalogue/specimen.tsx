/** One part of the dashboard, and one state of it. */
import type { ReactNode } from 'react'
import { Panel } from '../../parts/panel.tsx'
import { text } from '../../text/text.ts'
import styles from './catalogue.module.css'

type Part = { readonly name: string; readonly isWide?: boolean; readonly children: ReactNode }

/** `name` is that of its file. */
export function Part({ name, isWide, children }: Part) {
  return (
    <Panel title={name}>
      <div className={isWide ? `${styles.states} ${styles.wide}` : styles.states}>{children}</div>
    </Panel>
  )
}

type StateName = keyof typeof text.catalogue.states

type State = { readonly of: StateName; readonly children: ReactNode }

export function State({ of, children }: State) {
  return (
    <div className={styles.state} data-state={of} dir={of === 'rtl' ? 'rtl' : undefined}>
      <h3>{text.catalogue.states[of]}</h3>
      {children}
    </div>
  )
}
