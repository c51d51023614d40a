/** The log's views. Each is a separate page, so it can be linked and keeps its filters. */
import { addressOf, useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import styles from './logs.module.css'

type View = 'all' | 'denials' | 'crashes'

/** Switching views keeps the filters that both views have. */
export function LogTabs({ current }: { current: View }) {
  const t = text.logs
  const { id } = useProject()
  const [{ script_id, executor, user_key, period }] = useFilters()
  const kept = { script_id, executor, user_key, period }
  const views: readonly (readonly [View, string, string])[] = [
    ['all', t.allRuns, addressOf.project(id, 'logs', kept)],
    ['denials', text.frame.denials, addressOf.project(id, 'denials', kept)],
    ['crashes', t.crashes, addressOf.project(id, 'logs', { outcome: 'crashed', ...kept })],
  ]
  return (
    <nav className={styles.tabs} aria-label={t.tabs}>
      {views.map(([view, title, href]) => (
        <a key={view} href={href} aria-current={view === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
