/** A small line chart of a number's history, shown next to the number itself. */
import styles from './sparkline.module.css'

const WIDTH = 96
const HEIGHT = 20
/** Padding that keeps the line from being cut off at the edges. */
const EDGE = 1.5

type Props = {
  /** At least two values, oldest first. The last value is not final, so its segment is dashed. */
  readonly values: readonly number[]
}

export function Sparkline({ values }: Props) {
  const most = Math.max(1, ...values)
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) => `${EDGE + index * step},${HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)}`,
  )
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles.line} aria-hidden="true">
      <polyline points={points.slice(0, -1).join(' ')} />
      <polyline points={points.slice(-2).join(' ')} strokeDasharray="2 2" />
    </svg>
  )
}
