/** A time series chart, with the same numbers as a table. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { compact, LOCALE, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import styles from './chart.module.css'

export type Series = {
  readonly title: string
  readonly color: 'accent' | 'good' | 'warn' | 'bad' | 'soft'
  readonly values: readonly number[]
  /** The series to compare with; dashed, without an area. */
  readonly isBefore?: boolean
}

type Props = {
  readonly label: string
  /** Start of each hour or day, in milliseconds. */
  readonly times: readonly number[]
  readonly step: 'hour' | 'day'
  readonly series: readonly Series[]
  /** Called with the times between which the user dragged, in milliseconds. */
  readonly onSelect?: (from: number, to: number) => void
}

const HEIGHT_PX = 200
const FONT = '12px "Inter Variable", system-ui, sans-serif'
/** Leaves space for the last axis label. */
const RIGHT_PX = 28
const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const HOUR = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric' })
const DAY_AND_HOUR = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })

export function Chart(given: Props) {
  const [isTable, setIsTable] = useState(false)
  return (
    <figure className={styles.figure} aria-label={given.label}>
      {isTable ? <Twin {...given} /> : <Plot {...given} />}
      <figcaption className="bar between">
        <Legend series={given.series} />
        <button type="button" className="link" onClick={() => setIsTable(!isTable)}>
          {isTable ? text.frame.asChart : text.frame.asTable}
        </button>
      </figcaption>
    </figure>
  )
}

function Legend({ series }: Pick<Props, 'series'>) {
  return (
    <ul className={styles.legend}>
      {series.map(({ title, color, isBefore }) => (
        <li key={title}>
          <i className={isBefore ? styles.before : styles[color]} /> {title}
        </li>
      ))}
    </ul>
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
              <th scope="row">{step === 'day' ? DAY.format(time) : DAY_AND_HOUR.format(time)}</th>
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

function Plot(given: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const draw = () => new uPlot(optionsOf(given, element), dataOf(given), element)
    let plot = draw()
    const again = () => {
      plot.destroy()
      plot = draw()
    }
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    resized.observe(element)
    scheme.addEventListener('change', again)
    return () => {
      resized.disconnect()
      scheme.removeEventListener('change', again)
      plot.destroy()
    }
  }, [given])
  return <div ref={place} className={styles.plot} role="img" aria-label={given.label} />
}

function dataOf({ times, series }: Props): uPlot.AlignedData {
  return [times.map((time) => time / 1000), ...series.map(({ values }) => [...values])]
}

function optionsOf({ step, series, onSelect }: Props, element: Element): uPlot.Options {
  const tint = tintsOf(element)
  const axis = {
    font: FONT,
    stroke: tint.faint,
    grid: { stroke: tint.line, width: 1 },
    ticks: { show: false },
  }
  const format = step === 'day' ? DAY : HOUR
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [null, RIGHT_PX, null, null],
    legend: { show: false },
    cursor: { y: false, drag: { x: onSelect !== undefined, y: false, setScale: false } },
    hooks: { setSelect: [(plot) => reportSelection(plot, onSelect)] },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max, 1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 72,
        values: (_plot, at) => at.map((second) => format.format(second * 1000)),
      },
      {
        ...axis,
        size: 44,
        values: (_plot, at) => at.map((value) => (Number.isInteger(value) ? compact(value) : '')),
      },
    ],
    series: [
      {},
      ...series.map(({ title, color, isBefore }) => ({
        label: title,
        stroke: tint[color],
        width: isBefore ? 1 : 2,
        points: { show: false },
        ...(isBefore ? { dash: [4, 4] } : { fill: `${tint[color]}22` }),
      })),
    ],
  }
}

function reportSelection(plot: uPlot, onSelect: Props['onSelect']): void {
  const { left, width } = plot.select
  if (width === 0) return
  const timeAt = (place: number) => Math.round(plot.posToVal(place, 'x') * 1000)
  onSelect?.(timeAt(left), timeAt(left + width))
}

/** Reads the design tokens' colors as `#rrggbb`, the format the canvas needs. */
function tintsOf(element: Element) {
  const probe = document.createElement('i')
  element.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    const parts = getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
    return `#${parts
      .slice(0, 3)
      .map((part) => Math.round(Number(part)).toString(16).padStart(2, '0'))
      .join('')}`
  }
  const tints = {
    accent: read('accent'),
    good: read('good'),
    warn: read('warn'),
    bad: read('bad'),
    soft: read('soft'),
    faint: read('soft'),
    line: read('line'),
  }
  probe.remove()
  return tints
}
