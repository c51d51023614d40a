/** An error message. For a missing permission, it names the permission and who can grant it. */

import { useReason } from '../lib/rights.ts'
import { errorMessages, missingRight } from '../queries/api.ts'

export function ErrorMessage({ of }: { of: unknown }) {
  const reason = useReason(missingRight(of))
  if (reason !== undefined)
    return (
      <p className="notice" role="alert">
        {reason}
      </p>
    )
  const lines = errorMessages(of)
  if (lines.length === 0) return null
  return (
    <div className="field-error" role="alert">
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
