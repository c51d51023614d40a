/** Shows what the protection costs for this script, and whether the output is unchanged. */
import { FigureCard } from '../components/figure-card.tsx'
import { number } from '../lib/format.ts'
import { playgroundText as words } from '../messages/en/playground.ts'
import type { Protected } from './protect-worker.ts'
import { type Compared, differenceOf } from './runs.ts'

/**
 * Minimum run time for a comparison, in milliseconds. The browser's clock is too coarse to measure faster
 * scripts.
 */
const MEASURABLE = 2

type Props = { readonly built: Protected; readonly runs: Compared | undefined }

export function Figures({ built, runs }: Props) {
  return (
    <>
      <div className="figures">
        <FigureCard
          title={words.size}
          value={words.times(built.code.length / built.sourceSize)}
          change={words.sizes(built.sourceSize, built.code.length)}
        />
        <RunTime runs={runs} />
        <Sameness runs={runs} />
        <FigureCard title={words.hidden} value={number(built.hidden)} change={words.hiddenHint} />
        <FigureCard
          title={words.virtualized}
          value={number(built.virtualized)}
          change={words.virtualizedHint}
        />
      </div>
      {built.warnings.length > 0 && (
        <details className="entry">
          <summary>{words.warnings(built.warnings.length)}</summary>
          <ul className="inside">
            {built.warnings.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function RunTime({ runs }: { runs: Compared | undefined }) {
  if (runs?.times == null) return <FigureCard title={words.slowdown} value={words.notMeasured} />
  const { source, output } = runs.times
  if (!isMeasurable(runs))
    return <FigureCard title={words.slowdown} value={words.tooQuick} change={words.tooQuickHint} />
  return (
    <FigureCard
      title={words.slowdown}
      value={words.times(output / source)}
      change={words.slower(source, output)}
    />
  )
}

export function isMeasurable(runs: Compared | undefined): boolean {
  return runs?.times != null && runs.times.source >= MEASURABLE
}

function Sameness({ runs }: { runs: Compared | undefined }) {
  const ends = runs && [runs.source.ended.how, runs.output.ended.how]
  const isOver = ends?.every((how) => how === 'done') || ends?.every((how) => how === 'failed')
  if (!runs || !isOver) return <FigureCard title={words.same} value={words.notCompared} />
  const line = differenceOf(runs.source.lines, runs.output.lines)
  if (line === null)
    return (
      <FigureCard
        title={words.same}
        value={words.isSame}
        change={words.isSameHint(runs.source.lines.length)}
        tone="good"
      />
    )
  const change = runs.isUnsteady ? words.isUnsteadyHint : words.isDifferentHint(line)
  const tone = runs.isUnsteady ? 'warn' : 'bad'
  return <FigureCard title={words.same} value={words.isDifferent} change={change} tone={tone} />
}
