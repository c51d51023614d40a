/** The type of an entry in `event-catalog.ts`, and three ways to define one. */
import type { Static, TObject } from 'typebox'
import type { Field } from './event-fields.ts'

/** The built-in endpoint that receives an event. Custom endpoints select events with their filters. */
export type EventKind = 'execution' | 'information' | 'blacklist'

export type Entry<S extends TObject> = {
  readonly kind: EventKind
  readonly summary: string
  /** Every message also has `project`, with its ID and name. */
  readonly data: S
  readonly title: string
  readonly color: number
  readonly fields: (data: Static<S>) => readonly Field[]
}
type Shown<S extends TObject> = Omit<Entry<S>, 'kind' | 'color'>

export const GRANTED = 3_066_993
export const DENIED = 15_105_570
const INFORMATION = 3_447_003
const BLACKLIST = 15_158_332

export const run = <S extends TObject>(color: number, shown: Shown<S>): Entry<S> => ({
  kind: 'execution',
  color,
  ...shown,
})
export const information = <S extends TObject>(shown: Shown<S>): Entry<S> => ({
  kind: 'information',
  color: INFORMATION,
  ...shown,
})
export const blacklist = <S extends TObject>(shown: Shown<S>): Entry<S> => ({
  kind: 'blacklist',
  color: BLACKLIST,
  ...shown,
})
