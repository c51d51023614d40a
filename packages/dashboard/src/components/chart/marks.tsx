/** A chart's bars and lines. The current hour or day is hatched or dashed. */
import styles from './chart.module.css'
import { bucketPx, type Scale, xOf, yOf } from './scale.ts'
import type { Series } from './series.ts'

type Props = { readonly scale: Scale; readonly series: readonly Series[]; readonly isOpen: boolean }

/** Minimum height that keeps small counts visible next to large ones. */
const MIN_PX = 1.5
const MAX_PX = 44
/** Width in pixels above which bars have a gap between them. */
const GAP_FROM_PX = 4

export function Bars({ id, scale, series, isOpen }: Props & { readonly id: string }) {
  const buckets = Array.from({ length: scale.count }, (_, i) => i)
  return (
    <>
      <defs>
        {series.map(({ color }) => (
          <pattern
            key={color}
            id={`${id}${color}`}
            width="4"
            height="4"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect className={styles[color]} width="2" height="4" />
          </pattern>
        ))}
      </defs>
      {buckets.map((index) => (
        <Stack
          key={index}
          scale={scale}
          series={series}
          index={index}
          hatch={isOpen && index === scale.count - 1 ? id : undefined}
        />
      ))}
    </>
  )
}

type StackProps = Omit<Props, 'isOpen'> & { readonly index: number; readonly hatch: string | undefined }

function Stack({ scale, series, index, hatch }: StackProps) {
  const px = bucketPx(scale)
  const width = Math.min(MAX_PX, px > GAP_FROM_PX ? px - 2 : px)
  const x = xOf(scale, index + 0.5) - width / 2
  let top = yOf(scale, 0)
  return series.map(({ color, values }) => {
    const value = values[index] ?? 0
    if (value === 0) return null
    const height = Math.max(MIN_PX, yOf(scale, 0) - yOf(scale, value))
    top -= height
    const isOutlined = color === 'vanished'
    return (
      <rect
        key={color}
        className={isOutlined ? styles.outlined : styles[color]}
        x={x}
        y={top}
        width={width}
        height={Math.max(1, height - 1)}
        rx={1}
        style={hatch && !isOutlined ? { fill: `url("#${hatch}${color}")` } : undefined}
      />
    )
  })
}

export function Lines({ scale, series, isOpen, at }: Props & { readonly at: number | undefined }) {
  return series.map((each) => {
    const { title, color, values, isBefore } = each
    const points = values.slice(0, scale.count).map((value, i) => pointOf(scale, i, value))
    const [sure, open] = isOpen && !isBefore ? [points.slice(0, -1), points.slice(-2)] : [points, []]
    return (
      <g key={title} className={isBefore ? styles.beforeLine : styles[color]}>
        <path className={styles.line} d={pathOf(sure)} />
        <path className={`${styles.line} ${styles.open}`} d={pathOf(open)} />
        {at !== undefined && <circle cx={xOf(scale, at + 0.5)} cy={yOf(scale, values[at] ?? 0)} r={3.5} />}
      </g>
    )
  })
}

type Point = readonly [x: number, y: number]

const pointOf = (scale: Scale, i: number, value: number): Point => [xOf(scale, i + 0.5), yOf(scale, value)]

const pathOf = (points: readonly Point[]) =>
  points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
