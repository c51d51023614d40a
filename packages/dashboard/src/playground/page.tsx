/**
 * The playground. Shows a script, its protection options, what the protection costs, and what it achieves.
 */
import { Mark } from '../components/mark.tsx'
import { playgroundText as words } from '../messages/en/playground.ts'
import { text } from '../messages/text.ts'
import { Attackers } from './attackers.tsx'
import { Comparison } from './comparison.tsx'
import { type Draft, MAX_SOURCE, runsInLuau } from './draft.ts'
import { Editors } from './editors.tsx'
import { Figures } from './figures.tsx'
import { Form } from './form.tsx'
import { Note } from './note.tsx'
import styles from './playground.module.css'
import { Printed } from './printed.tsx'
import { Share } from './share-button.tsx'
import { useDraft } from './use-draft.ts'
import { type Result, useProtection } from './use-protection.ts'

export function Playground() {
  const { draft, change, isDamaged } = useDraft()
  const { result, phase, start, stop } = useProtection()
  const problem = problemOf(draft)
  return (
    <main>
      <span className="product">
        <Mark />
        {text.product}
      </span>
      <header className="title">
        <div>
          <h1>{words.title}</h1>
          <p className="hint">{words.intro}</p>
        </div>
        <Share draft={draft} />
      </header>
      {isDamaged && (
        <p className="notice warn" role="alert">
          {words.damagedLink}
        </p>
      )}
      <section className="panel" aria-label={words.ownSource}>
        <Form draft={draft} onChange={change} />
        <div className="bar">
          <button
            type="button"
            className="main"
            disabled={phase !== undefined || problem !== undefined}
            onClick={() => start(draft)}
          >
            {words.start}
          </button>
          <button type="button" disabled={phase === undefined} onClick={stop}>
            {words.stop}
          </button>
          <span className="hint" role="status">
            {phase ? words.phases[phase] : result && isStale(result, draft) ? words.stale : ''}
          </span>
        </div>
        {problem !== undefined && <p className="field-error">{problem}</p>}
        <Editors draft={draft} onChange={change} result={result} />
      </section>
      {result && <Results result={result} />}
    </main>
  )
}

function problemOf({ source }: Draft): string | undefined {
  if (source.trim() === '') return words.empty
  return source.length > MAX_SOURCE ? words.tooLong(MAX_SOURCE) : undefined
}

function isStale(result: Result, draft: Draft): boolean {
  return JSON.stringify(result.draft) !== JSON.stringify(draft)
}

function Results({ result }: { result: Result }) {
  const { draft, failure, built, runs, attacks, variants } = result
  return (
    <div className={styles.results}>
      {failure && <Note of={failure} />}
      {built && <Figures built={built} runs={runs} />}
      {built && (runs || !runsInLuau(draft)) && <Printed draft={draft} runs={runs} />}
      {attacks && <Attackers of={attacks} />}
      {built && variants && <Comparison draft={draft} of={variants} size={built.code.length} runs={runs} />}
    </div>
  )
}
