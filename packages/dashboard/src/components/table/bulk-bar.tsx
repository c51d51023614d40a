/** Actions for the selected rows, shown while any rows are selected. */
import type { ReactNode } from 'react'
import { text } from '../../messages/text.ts'
import styles from './bulk-bar.module.css'
import type { Selection } from './types.ts'

export function BulkBar({ selection, children }: { selection: Selection; children: ReactNode }) {
  const { chosen, onChange } = selection
  if (chosen.size === 0) return null
  return (
    <section className={styles.bar} aria-label={text.frame.selected(chosen.size)}>
      <strong role="status">{text.frame.selected(chosen.size)}</strong>
      {children}
      <button type="button" className="quiet" onClick={() => onChange(new Set())}>
        {text.frame.clearSelection}
      </button>
    </section>
  )
}
