/** Shows thirty days of runs as small stacked bars: granted, denied and crashed. */
import type { V1UsersOutcomesResponse } from '@scriptward/sdk'
import { recordText } from '../../../messages/en/user-record.ts'
import { dayText } from './days.ts'
import styles from './record.module.css'

export type DayOutcomes = V1UsersOutcomesResponse['outcomes'][number]
export type Sums = { readonly granted: number; readonly denied: number; readonly crashed: number }

const WIDTH = 6
const BAR = 4.5
const HEIGHT = 24
/** Minimum height of a bar. Keeps a single run visible next to days with many runs. */
const LEAST = 2

export function sumsOf({ granted, crashed, denied }: DayOutcomes): Sums {
  return { granted, crashed, denied: Object.values(denied).reduce((sum, count) => sum + count, 0) }
}

export function Spark({ days, label }: { days: readonly DayOutcomes[]; label: string }) {
  const sums = days.map(sumsOf)
  const most = Math.max(1, ...sums.map(({ granted, denied }) => granted + denied))
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {sums.map((sum, index) => (
        <Bar key={days[index]?.at} x={index * WIDTH} sum={sum} most={most} at={days[index]?.at ?? 0} />
      ))}
    </svg>
  )
}

function Bar({ x, sum, most, at }: { x: number; sum: Sums; most: number; at: number }) {
  const { granted, denied, crashed } = sum
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, (HEIGHT * count) / most))
  const parts = [
    ['granted', heightOf(granted - crashed)],
    ['crashed', heightOf(crashed)],
    ['denied', heightOf(denied)],
  ] as const
  const total = parts.reduce((height, [, each]) => height + each, 0)
  const scale = total > HEIGHT ? HEIGHT / total : 1
  let y = HEIGHT
  return (
    <g>
      <title>{recordText.facts.dayOf(dayText(at), recordText.facts.counts(granted, denied, crashed))}</title>
      <rect className={styles.back} x={x} width={BAR} y={0} height={HEIGHT} />
      {total === 0 && <rect className={styles.none} x={x} width={BAR} y={HEIGHT - 1} height={1} />}
      {parts.map(([name, height]) => {
        y -= height * scale
        return (
          <rect
            key={name}
            className={styles[`fill-${name}`]}
            x={x}
            width={BAR}
            y={y}
            height={height * scale}
          />
        )
      })}
    </g>
  )
}
