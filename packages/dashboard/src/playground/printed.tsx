/** Shows what the source and the protected script print in Luau. */
import { Panel } from '../components/panel.tsx'
import { MAX_OUTPUT } from '../features/scripts/run/bounds.ts'
import type { Ended } from '../features/scripts/run/run.ts'
import { playgroundText as words } from '../messages/en/playground.ts'
import { type Draft, runsInLuau, targets } from './draft.ts'
import styles from './playground.module.css'
import { type Compared, RUN_LIMIT, type Run } from './runs.ts'

export function Printed({ draft, runs }: { draft: Draft; runs: Compared | undefined }) {
  const target = targets.find(({ id }) => id === draft.target)?.name ?? draft.target
  if (!runs || !runsInLuau(draft))
    return (
      <Panel title={words.runs}>
        <p>{words.cannotRun(target)}</p>
      </Panel>
    )
  const bothFail = runs.source.ended.how === 'failed' && runs.output.ended.how === 'failed'
  return (
    <Panel title={words.runs} hint={words.runsHint}>
      <div className={styles.pair}>
        <Output label={words.printed.source} run={runs.source} />
        <Output label={words.printed.output} run={runs.output} />
      </div>
      {bothFail && <p className="hint">{words.bothFail}</p>}
    </Panel>
  )
}

function Output({ label, run: { lines, ended } }: { label: string; run: Run }) {
  return (
    <section className="stack tight" aria-label={label}>
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre className="printed" tabIndex={0}>
        {lines.length === 0 && <span className={styles.soft}>{words.nothingPrinted}</span>}
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change, and may be the same.
          <span key={index} className={styles[line.kind]}>
            {line.text}
            {'\n'}
          </span>
        ))}
      </pre>
      <Ending ended={ended} />
    </section>
  )
}

function Ending({ ended }: { ended: Ended }) {
  if (ended.how === 'failed')
    return (
      <div className="field-error">
        <p>{words.ends.failed}</p>
        <code>{ended.error}</code>
      </div>
    )
  if (ended.how === 'done') return <p className="hint">{words.ends.done(ended.ms)}</p>
  if (ended.how === 'too long') return <p>{words.ends['too long'](RUN_LIMIT)}</p>
  if (ended.how === 'too much') return <p>{words.ends['too much'](MAX_OUTPUT)}</p>
  return <p>{words.ends[ended.how]}</p>
}
