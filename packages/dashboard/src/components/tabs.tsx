import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { number } from '../lib/format.ts'
import styles from './tabs.module.css'

type Tab = {
  readonly id: string
  readonly title: string
  /** Shown after the title as soon as it has loaded. */
  readonly count?: number | undefined
  readonly content: ReactNode
}

type Props = {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** The active tab; omit it to keep the state in the component. */
  readonly chosen?: string
  readonly onChoose?: (id: string) => void
  /** Whether the tabs are nested in another tab. */
  readonly isInner?: boolean
}

export function Tabs({ label, tabs, chosen, onChoose, isInner = false }: Props) {
  const choose = (id: unknown) => onChoose?.(String(id))
  const value = chosen === undefined ? { defaultValue: tabs[0]?.id } : { value: chosen }
  return (
    <Base.Root {...value} onValueChange={choose} className="stack">
      <Base.List aria-label={label} className={isInner ? styles.inner : styles.list}>
        {tabs.map(({ id, title, count }) => (
          <Base.Tab key={id} value={id} className={styles.tab}>
            {title}
            {count !== undefined && <span className={styles.count}> {number(count)}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, content }) => (
        <Base.Panel key={id} value={id} className="stack">
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
