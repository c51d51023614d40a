/** Where a list will be, while it is on its way. */
import { text } from '../text.ts'

export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div className="skeleton">
      <span className="unseen-text" role="status">
        {text.loading}
      </span>
      {Array.from({ length: rows }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <i key={n} />
      ))}
    </div>
  )
}
