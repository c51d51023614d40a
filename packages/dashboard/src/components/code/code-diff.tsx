/** Shows the differences between two Lua sources. */
import { lazy, Suspense } from 'react'
import { text } from '../../messages/text.ts'
import styles from './code-editor.module.css'
import { MAX_EDITABLE } from './code-editor.tsx'
import type { CodeDiffProps } from './code-mirror/props.ts'

const Diff = lazy(async () => ({ default: (await import('./code-mirror/diff.tsx')).Diff }))

export function CodeDiff(given: CodeDiffProps) {
  if (given.before === given.after) return <p>{text.scripts.same}</p>
  if (Math.max(given.before.length, given.after.length) > MAX_EDITABLE)
    return <p>{text.scripts.tooLongToCompare}</p>
  return (
    <div className={styles.frame}>
      <Suspense fallback={<p className={styles.loading}>{text.scripts.editorLoading}</p>}>
        <Diff {...given} />
      </Suspense>
    </div>
  )
}
