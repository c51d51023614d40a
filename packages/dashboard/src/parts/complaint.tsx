/** What went wrong, in the service's own words. */
import { useComplaint } from '../api.ts'

export function Complaint({ of }: { of: unknown }) {
  const lines = useComplaint(of)
  if (lines.length === 0) return null
  return (
    <ul className="complaint" role="alert">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
