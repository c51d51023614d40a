/** Shows the differences between two Lua sources. */
import { lazy, Suspense } from 'react'
import { text } from '../../messages/text.ts'
import styles from './code-editor.module.css'
import { MAX_EDITABLE } from './code-editor.tsx'
import type { CodeDiffProps } from './code-mirror/props.ts'
import { UnifiedDiff } from './unified-diff.tsx'

const Diff = lazy(async () => ({ default: (await import('./code-mirror/diff.tsx')).Diff }))

/** `unified` is the diff as text, which is shown if the sources are too long for the editor. */
export function CodeDiff({ unified, ...given }: CodeDiffProps & { readonly unified: string | null }) {
  if (given.before === given.after) return <p>{text.scripts.same}</p>
  if (Math.max(given.before.length, given.after.length) > MAX_EDITABLE)
    return unified ? (
      <UnifiedDiff label={given.label} text={unified} />
    ) : (
      <p>{text.scripts.tooLongToCompare}</p>
    )
  return (
    <div className={styles.frame}>
      <Suspense fallback={<p className={styles.loading}>{text.scripts.editorLoading}</p>}>
        <Diff {...given} />
      </Suspense>
    </div>
  )
}
