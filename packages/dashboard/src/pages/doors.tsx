/** To be written. */
import type { Place } from '../address.ts'
import { UnknownPage } from './trouble.tsx'

export function DoorPage(_: { place: Extract<Place, { door: unknown }> }) {
  return <UnknownPage />
}
