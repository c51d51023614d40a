/** What went wrong, in the service's own words; for a missing right, which one and who can give it. */
import { missingRight, wordsOfError } from '../api.ts'
import { useReason } from '../rights.ts'

export function Complaint({ of }: { of: unknown }) {
  const reason = useReason(missingRight(of))
  const lines = reason === undefined ? wordsOfError(of) : [reason]
  if (lines.length === 0) return null
  return (
    <div className="complaint" role="alert">
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
