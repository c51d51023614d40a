/** A Lua editor or viewer, loaded as a separate chunk. Sources that would freeze the page are summarized instead. */
import { lazy, Suspense, useMemo } from 'react'
import { bytes } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import styles from './code-editor.module.css'
import type { CodeEditorProps } from './code-mirror/props.ts'

/** Maximum length of an editable source, in characters. */
export const MAX_EDITABLE = 1_000_000

const Editor = lazy(async () => ({ default: (await import('./code-mirror/editor.tsx')).Editor }))

export function CodeEditor(given: CodeEditorProps) {
  if (given.value.length > MAX_EDITABLE) return <Summary {...given} />
  return (
    <div className={given.isLow ? `${styles.frame} ${styles.low}` : styles.frame}>
      <Suspense
        fallback={
          <p className={styles.loading} role="status">
            {text.scripts.editorLoading}
          </p>
        }
      >
        <Editor {...given} />
      </Suspense>
    </div>
  )
}

function Summary({ label, value, onChange }: CodeEditorProps) {
  const { size, lines } = useMemo(() => measured(value), [value])
  return (
    <section className={styles.summary} aria-label={label}>
      <p>{text.scripts.tooLong}</p>
      <p className="hint">
        {bytes(size)} · {text.scripts.lines(lines)}
      </p>
      <pre>{value.slice(0, 400)}…</pre>
      {onChange && (
        <div className="bar">
          <button type="button" onClick={() => onChange('')}>
            {text.scripts.writeInstead}
          </button>
        </div>
      )}
    </section>
  )
}

function measured(value: string) {
  return { size: new Blob([value]).size, lines: value.split('\n').length }
}
