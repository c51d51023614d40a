import { Badge } from '../../../components/badge.tsx'
import { text } from '../../../messages/text.ts'
import type { ErrorDetail, ReportedError } from './queries.ts'

type Place = ReportedError['place'] | ErrorDetail['frames'][number]

/** Formats a position, such as `Line 12 in shop.buy`. */
export function PlaceOf({ place }: { place: Place }) {
  if (place === null) return <span className="hint">{text.reported.unknownPlace}</span>
  return (
    <span>
      {lineOf(place)}
      {place.function !== null && (
        <>
          {' '}
          {text.reported.in} <code dir="auto">{place.function}</code>
        </>
      )}
    </span>
  )
}

function lineOf({ file, line, output_line }: NonNullable<Place>): string {
  if (line === null) return text.reported.outputLine(output_line)
  return file === null ? text.reported.line(line) : text.reported.lineOf(file, line)
}

export function StateBadge({ of }: { of: Pick<ReportedError, 'state' | 'regressed_at'> }) {
  const { state, regressed_at } = of
  if (state === 'open' && regressed_at !== null) return <Badge tone="bad">{text.reported.cameBack}</Badge>
  const tone = { open: 'warn', resolved: 'good', ignored: 'plain' } as const
  return <Badge tone={tone[state]}>{text.reported.states[state]}</Badge>
}
