/**
 * Columns are declared once, as values. A table's types, its column list, and the test that compares them
 * with the actual table all derive from these declarations.
 */
import type { Generated, GeneratedAlways } from 'kysely'

/** `type` is never set. It only carries the type of the column's values. */
export type Column<T> = {
  readonly kind: 'number' | 'text' | 'bytes'
  readonly isNullable: boolean
  readonly type?: T
}
export type Columns = Readonly<Record<string, Column<unknown>>>

/** The type of a table's columns as Kysely expects it. */
export type TableOf<C> = { -readonly [N in keyof C]: C[N] extends Column<infer T> ? T : never }

/** A boolean that both engines compare in the same way. */
export type Flag = 0 | 1

export const number: Column<number> = { kind: 'number', isNullable: false }
export const flag: Column<Flag> = { kind: 'number', isNullable: false }
export const text: Column<string> = { kind: 'text', isNullable: false }
export const bytes: Column<Uint8Array> = { kind: 'bytes', isNullable: false }
/** A row's ascending number within its table. It defines the order of every list, and is never reused. */
export const seq: Column<GeneratedAlways<number>> = { kind: 'number', isNullable: false }

/** A string column with a fixed set of values. */
export const textOf = <T extends string>(): Column<T> => ({ kind: 'text', isNullable: false })

export const nullable = <T>({ kind }: Column<T>): Column<T | null> => ({ kind, isNullable: true })

/** A column that an insert may omit. */
export const withDefault = <T>({ kind }: Column<T>): Column<Generated<T>> => ({ kind, isNullable: false })
