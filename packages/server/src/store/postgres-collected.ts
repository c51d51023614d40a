/** One question that asks PostgreSQL what another statement would be asked many times with other parameters. */
import type { Question } from './postgres-line.ts'
import type { Fields, RowReader } from './postgres-rows.ts'
import { statementName } from './statement-names.ts'

type Parameters = readonly unknown[]
type Row = object | null
type Listed = 'text' | 'bigint'

/** Who wants the first row of a statement with these parameters. */
export type Asker = {
  readonly parameters: Parameters
  readonly resolve: (row: Row) => void
  readonly reject: (error: unknown) => void
}

/** The types that PostgreSQL has for parameters; undefined where one of them could be of several, as null can. */
export function typesOf(parameters: Parameters): readonly Listed[] | undefined {
  const types = parameters.map(typeOf)
  return types.length > 0 && types.every((type) => type !== undefined) ? types : undefined
}

function typeOf(value: unknown): Listed | undefined {
  if (typeof value === 'string') return 'text'
  return Number.isSafeInteger(value) ? 'bigint' : undefined
}

/** A statement behind lists of parameters. A row that it answers has in front the place, from 1, of those that it was found for. */
export class Collected {
  readonly sql: string
  readonly name: string
  readonly types: readonly Listed[]

  /** Of `text`, whose parameters have these types. */
  constructor(text: string, types: readonly Listed[]) {
    // Behind a `select` the planner does not see how long a list is. It takes lists it does not see for longer than short ones
    // are, and would plan each question for a short one anew, which costs more than finding its rows.
    const lists = types.map((type, index) => `(select $${index + 1}::${type}[])`)
    const names = types.map((_, index) => `p${index + 1}`)
    const asked = text.replaceAll(/\$(\d+)/g, (_, number) => `asked.p${number}`)
    this.sql = `select asked.place::int, found.* from unnest(${lists.join(', ')}) with ordinality
      as asked (${names.join(', ')}, place) cross join lateral (${asked}) as found`
    this.name = statementName(this.sql)
    this.types = types
  }

  fits(parameters: Parameters): boolean {
    for (let index = 0; index < parameters.length; index += 1)
      if (typeOf(parameters[index]) !== this.types[index]) return false
    return true
  }

  /** One list for each parameter, of the values that all have in its place. */
  lists(askers: readonly Asker[]): string[] {
    return this.types.map((_, column) => {
      const members = askers.map(({ parameters }) => memberOf(parameters[column] as string | number))
      return `{${members.join()}}`
    })
  }
}

/** In a list that PostgreSQL reads. */
function memberOf(value: string | number): string {
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Finds for each who asks the first row, or null. */
export class TogetherQuestion implements Question {
  readonly sql: string
  readonly name: string
  readonly ownColumns = 1
  readonly askers: number
  readonly values: readonly string[]
  readonly #askers: readonly Asker[]
  readonly #found: Row[]
  readonly #onFailed: (error: unknown) => void

  constructor(collected: Collected, askers: readonly Asker[], onFailed: (error: unknown) => void) {
    this.sql = collected.sql
    this.name = collected.name
    this.values = collected.lists(askers)
    this.askers = askers.length
    this.#askers = askers
    this.#found = new Array(askers.length).fill(null)
    this.#onFailed = onFailed
  }

  row(fields: Fields, read: RowReader): void {
    const index = (fields.number() as number) - 1
    this.#found[index] ??= read(fields)
  }

  done(): void {
    const askers = this.#askers
    for (let index = 0; index < askers.length; index += 1) askers[index]?.resolve(this.#found[index] ?? null)
  }

  failed(error: unknown): void {
    this.#onFailed(error)
  }
}
