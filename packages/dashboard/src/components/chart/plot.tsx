/**
 * The drawing area of a chart. It is a slider over hours or days, so the arrow keys move the cursor and
 * screen readers announce the values.
 */
import { type RefObject, useId, useLayoutEffect, useRef, useState } from 'react'
import { compact, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import styles from './chart.module.css'
import { Bars, Lines } from './marks.tsx'
import {
  BOTTOM,
  bucketPx,
  HEIGHT,
  LEFT,
  labelsOf,
  largestOf,
  type Scale,
  TOP,
  ticksOf,
  timeText,
  xOf,
  yOf,
} from './scale.ts'
import { type Flag, isRunning, positionOf, type Range, type Series, type Step } from './series.ts'
import { type Cursor, useCursor } from './use-cursor.ts'

type Props = {
  readonly label: string
  readonly times: readonly number[]
  readonly step: Step
  readonly series: readonly Series[]
  readonly isStacked?: boolean
  readonly flags?: readonly Flag[]
  readonly brush?: Range | undefined
  readonly onRange: (range: Range) => void
  readonly onBucket?: (range: Range) => void
}

export function Plot(given: Props) {
  const { label, times, step, series, isStacked = false, flags = [] } = given
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  const ticks = ticksOf(largestOf(series, isStacked))
  const scale = { width, count: times.length, max: ticks.at(-1) ?? 1 }
  const cursor = useCursor(given, scale)
  const isOpen = isRunning(times, step, Date.now())
  const at = cursor.at ?? times.length - 1
  const parts = series.filter(({ isBefore }) => !isBefore)
  const lines = isStacked ? series.filter(({ isBefore }) => isBefore) : series
  return (
    <div className={styles.plot}>
      <div
        ref={place}
        className={styles.canvas}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={valuesText(given, at, isOpen)}
        {...cursor.handlers}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <Axes scale={scale} ticks={ticks} times={times} step={step} />
          {cursor.at !== undefined && <Band scale={scale} first={cursor.at} className={styles.hot} />}
          {isStacked && <Bars id={id} scale={scale} series={parts} isOpen={isOpen} />}
          <Lines scale={scale} series={lines} isOpen={isOpen} at={cursor.at} />
          <Brush scale={scale} given={given} drag={cursor.drag} />
          {flags.map((flag) => (
            <FlagLine key={flag.title + flag.at} x={xOf(scale, positionOf(times, step, flag.at))} />
          ))}
        </svg>
      </div>
      <Flags given={given} scale={scale} />
      {cursor.at !== undefined && <Values given={given} scale={scale} at={cursor.at} isOpen={isOpen} />}
    </div>
  )
}

function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const resized = new ResizeObserver(measure)
    resized.observe(element)
    return () => resized.disconnect()
  }, [place])
  return width
}

type AxesProps = Pick<Props, 'times' | 'step'> & { readonly scale: Scale; readonly ticks: readonly number[] }

function Axes({ scale, ticks, times, step }: AxesProps) {
  const px = bucketPx(scale)
  return (
    <g className={styles.axes}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={scale.width} y1={yOf(scale, tick)} y2={yOf(scale, tick)} />
          <text x={LEFT - 8} y={yOf(scale, tick) + 4} textAnchor="end">
            {compact(tick)}
          </text>
        </g>
      ))}
      {labelsOf(times, step, px).map(({ index, words }) => {
        const x = xOf(scale, index + 0.5)
        const isLast = x > scale.width - 28
        return (
          <text
            key={index}
            x={isLast ? scale.width : x}
            y={HEIGHT - 4}
            textAnchor={isLast ? 'end' : 'middle'}
          >
            {words}
          </text>
        )
      })}
    </g>
  )
}

type BandProps = {
  readonly scale: Scale
  readonly first: number
  readonly last?: number
  readonly className: string | undefined
}

function Band({ scale, first, last = first, className }: BandProps) {
  const [from, to] = [Math.min(first, last), Math.max(first, last) + 1]
  const width = Math.max(0, to - from) * bucketPx(scale)
  return <rect className={className} x={xOf(scale, from)} width={width} y={TOP} height={BOTTOM - TOP} />
}

/** The chosen range. Its edges can be dragged; everything outside is dimmed. */
function Brush({ scale, given, drag }: { scale: Scale; given: Props; drag: Cursor['drag'] }) {
  const { times, step, brush } = given
  if (drag) return <Band scale={scale} first={drag.from} last={drag.to} className={styles.brush} />
  if (brush === undefined) return null
  const clamp = (at: number) => Math.max(0, Math.min(times.length, positionOf(times, step, at)))
  const [from, to] = [clamp(brush.from), clamp(brush.to)]
  return (
    <>
      <Band scale={scale} first={0} last={from - 1} className={styles.dim} />
      <Band scale={scale} first={to} last={times.length - 1} className={styles.dim} />
      <Band scale={scale} first={from} last={to - 1} className={styles.brush} />
      {Object.entries({ from, to }).map(([end, edge]) => (
        <rect
          key={end}
          className={styles.edge}
          x={xOf(scale, edge) - 2.5}
          width={5}
          y={(TOP + BOTTOM) / 2 - 9}
          height={18}
          rx={2.5}
        />
      ))}
    </>
  )
}

const FlagLine = ({ x }: { x: number }) => (
  <line className={styles.flagLine} x1={x} x2={x} y1={2} y2={BOTTOM} />
)

/** A flag outside the chart, or too close to the previous one, has no label. */
function Flags({ given: { flags = [], times, step }, scale }: { given: Props; scale: Scale }) {
  let free = 0
  return flags.map(({ at, title, href }) => {
    const x = xOf(scale, positionOf(times, step, at))
    const isTight = x < free
    if (!isTight) free = x + FLAG_PX
    return isTight ? null : (
      <a
        key={title + at}
        className={styles.flag}
        href={href}
        style={x > scale.width - FLAG_PX ? { right: scale.width - x + 4 } : { left: x + 4 }}
      >
        <bdi>{title}</bdi>
      </a>
    )
  })
}
const FLAG_PX = 90

type ValuesProps = {
  readonly given: Props
  readonly scale: Scale
  readonly at: number
  readonly isOpen: boolean
}

function Values({ given: { times, step, series, isStacked }, scale, at, isOpen }: ValuesProps) {
  const isRight = xOf(scale, at + 0.5) > scale.width / 2
  const left = xOf(scale, at + 1) + 8
  const listed = isStacked ? series.toReversed() : series
  return (
    <div
      className={styles.values}
      aria-hidden="true"
      style={isRight ? { right: scale.width - xOf(scale, at) + 8 } : { left }}
    >
      <b>{titleOf(times, step, at, isOpen)}</b>
      {listed.map(({ title, color, isBefore, values }) => (
        <span key={title}>
          <i className={isBefore ? styles.before : styles[color]} />
          {title}
          <em>{number(values[at] ?? 0)}</em>
        </span>
      ))}
    </div>
  )
}

function titleOf(times: readonly number[], step: Step, at: number, isOpen: boolean): string {
  const words = timeText(times[at] ?? 0, step)
  return isOpen && at === times.length - 1 ? text.chart.soFar(words) : words
}

function valuesText({ times, step, series }: Props, at: number, isOpen: boolean): string {
  if (times.length === 0) return ''
  const values = series.map(({ title, values: all }) => `${title} ${number(all[at] ?? 0)}`)
  return `${titleOf(times, step, at, isOpen)}: ${values.join(', ')}`
}
