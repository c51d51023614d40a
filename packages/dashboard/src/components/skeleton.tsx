/** Placeholder while a list loads. */
import { text } from '../messages/text.ts'

export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div className="skeleton">
      <span className="unseen-text" role="status">
        {text.loading}
      </span>
      {[...Array(rows).keys()].map((n) => (
        <i key={n} />
      ))}
    </div>
  )
}
