import { CopyButton } from './copy-button.tsx'
import styles from './snippet.module.css'

export function Snippet({ code, label }: { code: string; label: string }) {
  return (
    <section className={styles.snippet} aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton value={code} />
    </section>
  )
}
