/** Compares builds of the same script: one with every preset, and one with each option toggled. */
import { Badge } from '../components/badge.tsx'
import { Panel } from '../components/panel.tsx'
import { PlainTable } from '../components/table/plain-table.tsx'
import { playgroundText as words } from '../messages/en/playground.ts'
import { isMissing, type Missing } from './ask-worker.ts'
import { type Draft, isOn, presets } from './draft.ts'
import { isMeasurable } from './figures.tsx'
import { nameOf } from './form.tsx'
import { Note } from './note.tsx'
import type { Compared } from './runs.ts'
import type { TimedVariant } from './use-protection.ts'

const TITLES = [words.build, words.size, words.runTime, words.readable]

type Props = {
  readonly draft: Draft
  readonly of: readonly TimedVariant[] | Missing
  /** Size of the current build, in bytes. */
  readonly size: number
  readonly runs: Compared | undefined
}

export function Comparison({ draft, of, size, runs }: Props) {
  return (
    <Panel title={words.options} hint={words.optionsHint}>
      {isMissing(of) ? (
        <Note of={of} />
      ) : (
        <PlainTable
          label={words.options}
          titles={TITLES}
          rows={of.map((each) => rowOf(each, { draft, size, runs }))}
        />
      )}
    </Panel>
  )
}

function rowOf({ change, code, readable, ms }: TimedVariant, { draft, size, runs }: Omit<Props, 'of'>) {
  const [id, name] = titleOf(change, draft)
  const isThis = 'preset' in change && change.preset === draft.preset && draft.switched.length === 0
  const title = isThis ? (
    <>
      {name} <Badge tone="plain">{words.isThis}</Badge>
    </>
  ) : (
    name
  )
  if (code === null || readable === null)
    return { id, name: title, cells: [words.refused, words.notTried, words.notTried] }
  const source = isMeasurable(runs) ? runs?.times?.source : undefined
  const { strings, names, numbers } = readable
  const time = source === undefined || ms === null ? words.notTried : words.times(ms / source)
  const readableWords = words.readableWords(strings.length, names.length, numbers.length)
  return { id, name: title, cells: [words.sizeBeside(code.length, size), time, readableWords] }
}

function titleOf(change: TimedVariant['change'], draft: Draft): readonly [id: string, title: string] {
  if ('preset' in change) {
    const { id = '', name = '' } = presets.find(({ id }) => id === change.preset) ?? {}
    return [id, words.isPreset(name)]
  }
  const name = nameOf(change.option)
  return [change.option, isOn(draft, change.option) ? words.without(name) : words.with(name)]
}
