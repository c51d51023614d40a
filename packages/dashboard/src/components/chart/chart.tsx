/** A time chart that users can inspect, zoom and click, and a table of the same numbers. */
import { useState } from 'react'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import styles from './chart.module.css'
import { Plot } from './plot.tsx'
import { timeText } from './scale.ts'
import { type Flag, type Range, type Series, type Step, within } from './series.ts'

export type { Series } from './series.ts'

type Props = {
  readonly label: string
  /** Start of each hour or day, in milliseconds. */
  readonly times: readonly number[]
  readonly step: Step
  readonly series: readonly Series[]
  /** Whether to draw stacked bars, from bottom to top, instead of lines. */
  readonly isStacked?: boolean
  readonly flags?: readonly Flag[]
  /** The chosen range; the rest is dimmed. */
  readonly brush?: Range | undefined
  /** Called with a dragged range. Without this callback, the chart zooms to that range. */
  readonly onRange?: (range: Range) => void
  /** Called with the hour or day that was clicked. */
  readonly onBucket?: (range: Range) => void
}

export function Chart(given: Props) {
  const [isTable, setIsTable] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set())
  const [zoom, setZoom] = useState<Range>()
  const { series } = given
  const shown = within({ ...given, series: series.filter((_, i) => !hidden.has(i)) }, zoom)
  const toggle = (i: number) => setHidden(hidden.symmetricDifference(new Set([i])))
  return (
    <figure className={styles.figure} aria-label={given.label}>
      <figcaption className={styles.caption}>
        <ul className={styles.legend}>
          {series.map((each, i) => (
            <Entry
              // biome-ignore lint/suspicious/noArrayIndexKey: titles may contain counts, which change.
              key={i}
              series={each}
              hasTotal={given.isStacked === true}
              isShown={!hidden.has(i)}
              onToggle={() => toggle(i)}
            />
          ))}
        </ul>
        <span className={styles.end}>
          {zoom && (
            <button type="button" className="link" onClick={() => setZoom(undefined)}>
              {text.chart.resetZoom}
            </button>
          )}
          <button type="button" className="link" onClick={() => setIsTable(!isTable)}>
            {isTable ? text.frame.asChart : text.frame.asTable}
          </button>
        </span>
      </figcaption>
      {isTable ? <Twin {...shown} /> : <Plot onRange={setZoom} {...shown} />}
    </figure>
  )
}

type EntryProps = {
  readonly series: Series
  readonly hasTotal: boolean
  readonly isShown: boolean
  readonly onToggle: () => void
}

function Entry({ series, hasTotal, isShown, onToggle }: EntryProps) {
  const { title, color, values, isBefore, href, onChoose, isChosen = false } = series
  const content = (
    <>
      <i className={isBefore ? styles.before : styles[color]} aria-hidden="true" />
      {title}
      {hasTotal && <b>{number(values.reduce((sum, value) => sum + value, 0))}</b>}
    </>
  )
  return (
    <li>
      {href === undefined ? (
        <button
          type="button"
          className="quiet"
          aria-pressed={onChoose ? isChosen : isShown}
          onClick={onChoose ?? onToggle}
          data-hidden={isShown ? undefined : ''}
        >
          {content}
        </button>
      ) : (
        <a href={href}>{content}</a>
      )}
    </li>
  )
}

function Twin({ label, times, step, series }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section className={styles.twin} aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{text.frame.time}</th>
            {series.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row">{timeText(time, step)}</th>
              {series.map(({ title, values }) => (
                <td key={title}>{number(values[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
