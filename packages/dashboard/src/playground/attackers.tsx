/**
 * The results of three attackers on the protected script. Every result comes from an actual run of the
 * attack.
 */
import type { Found } from '@scriptward/obfuscator/attacks'
import { Panel } from '../components/panel.tsx'
import { PlainTable } from '../components/table/plain-table.tsx'
import { playgroundText as words } from '../messages/en/playground.ts'
import { isMissing, type Missing } from './ask-worker.ts'
import { Note } from './note.tsx'
import styles from './playground.module.css'
import type { Attacks } from './protect-worker.ts'

const TITLES = [words.attacker, words.strings, words.names, words.numbers, words.code]

export function Attackers({ of }: { of: Attacks | Missing }) {
  return (
    <Panel title={words.attackers} hint={words.attackersHint}>
      {isMissing(of) ? <Note of={of} /> : <Table of={of} />}
    </Panel>
  )
}

function Table({ of: { all, file, hooks, lifted } }: { of: Attacks }) {
  const rows = [
    { id: 'file', name: words.kinds.file, cells: [...wordCells(file, all), words.notTried] },
    {
      id: 'hooks',
      name: words.kinds.hooks,
      cells: [...wordCells(hooks, all).slice(0, 1), words.notTried, words.notTried, words.notTried],
    },
    { id: 'lifted', name: words.kinds.lifted, cells: [...wordCells(lifted, all), functionsOf(lifted)] },
  ]
  return (
    <>
      <PlainTable label={words.attackers} titles={TITLES} rows={rows} />
      <div className={styles.three}>
        <Seen title={words.kinds.file} about={words.explained.file} strings={file.strings} />
        <Seen
          title={words.kinds.hooks}
          about={hooks ? words.explained.hooks(hooks.open.length) : words.notRun}
          strings={hooks?.strings ?? []}
        />
        <Seen
          title={words.kinds.lifted}
          about={lifted ? words.explained.lifted : words.notRun}
          strings={lifted?.strings ?? []}
        />
      </div>
      <p>{words.moral}</p>
    </>
  )
}

/** Shows how many of the strings, names and numbers were found. */
function wordCells(found: Partial<Found> | null, all: Found): string[] {
  const lists = [
    [found?.strings, all.strings],
    [found?.names, all.names],
    [found?.numbers, all.numbers],
  ] as const
  return lists.map(([some, every]) => (some ? words.of(some.length, every.length) : words.notTried))
}

function functionsOf(lifted: Attacks['lifted']): string {
  return lifted ? words.of(lifted.functions, lifted.ofFunctions) : words.notTried
}

type SeenProps = { readonly title: string; readonly about: string; readonly strings: readonly string[] }

function Seen({ title, about, strings }: SeenProps) {
  return (
    <section className="stack tight" aria-label={title}>
      <h3>{title}</h3>
      <p className="hint">{about}</p>
      {strings.length > 0 && (
        <details>
          <summary>{words.seen(strings.length)}</summary>
          <ul className={styles.seen}>
            {strings.map((each) => (
              <li key={each}>
                <code>{readable(each)}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** Attacks represent a string with one character per byte. */
function readable(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
}
