/**
 * Shows the source lines around an error. Highlights the failed line and the lines that its version changed.
 */
import { useRefusal } from '../../../lib/rights.ts'
import { text } from '../../../messages/text.ts'
import { SOURCE, useComparison } from '../queries.ts'
import { changedLines } from './changed-lines.ts'
import { PlaceOf } from './place.tsx'
import type { ErrorDetail } from './queries.ts'
import styles from './reported.module.css'

type Props = { readonly script: string; readonly error: ErrorDetail }

export function Source({ script, error: { code, frames } }: Props) {
  const t = text.reported
  const mayNotRead = useRefusal(SOURCE) !== undefined
  const changed = useChangedLines(script, code)
  if (code === null) return <p className="hint">{mayNotRead ? t.noSource : t.noLine}</p>
  return (
    <section className="stack tight" aria-label={t.source(code.version)}>
      <h3>{t.source(code.version)}</h3>
      {changed.size > 0 && (
        <p className={styles.key}>
          <i aria-hidden="true" /> {t.changedIn(code.version)}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre className={`printed ${styles.code}`} tabIndex={0} dir="ltr">
        {code.lines.map((line, i) => {
          const n = code.first_line + i
          const isFailing = n === code.line
          return (
            <span key={n} className={lineClass(isFailing, changed.has(n))}>
              <i>{n}</i>
              {line}
              {isFailing && <span className="unseen-text"> ({t.failing})</span>}
              {'\n'}
            </span>
          )
        })}
      </pre>
      {frames.length > 1 && (
        <details>
          <summary>{t.stack}</summary>
          <ol className={styles.stack}>
            {frames.map((frame, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames of a recursion can be equal, and the list never changes.
              <li key={i}>
                <PlaceOf place={frame} />
                {frame.source !== null && <code dir="ltr">{frame.source}</code>}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  )
}

function lineClass(isFailing: boolean, isChanged: boolean): string | undefined {
  return [isFailing && styles.failing, isChanged && styles.changed].filter(Boolean).join(' ') || undefined
}

/** Empty for the first version, and until the version comparison has loaded. */
function useChangedLines(script: string, code: ErrorDetail['code']): ReadonlySet<number> {
  const { version = 1, file = null } = code ?? {}
  const query = useComparison(script, version - 1, version, code !== null && version > 1)
  const files = query.data?.files ?? []
  const changed = file === null && files.length === 1 ? files[0] : files.find(({ path }) => path === file)
  return changedLines(changed?.diff ?? '')
}
