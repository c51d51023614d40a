/** One statement that asks PostgreSQL what another one would be asked many times with other parameters. */
import type { QueryArrayConfig, QueryArrayResult } from 'pg'
import { type RowMaker, rowMaker, type SqlValues } from './rows.ts'
import { statementName } from './statement-names.ts'

type Parameters = readonly unknown[]

/** The types that PostgreSQL has for parameters; undefined where one of them could be of several, as null can. */
export function typesOf(parameters: Parameters): readonly string[] | undefined {
  const types = parameters.map(typeOf)
  return types.length > 0 && types.every((type) => type !== undefined) ? types : undefined
}

function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return 'text'
  return Number.isSafeInteger(value) ? 'bigint' : undefined
}

/** A row that it answers has in front the place, from 1, of the parameters that it was found for. */
export class Collected {
  readonly #text: string
  readonly #name: string
  #toRow: RowMaker | undefined

  /** Of `text`, whose parameters have these types. */
  constructor(text: string, types: readonly string[]) {
    // Behind a `select` the planner does not see how long a list is. It takes lists it does not see for longer than short ones
    // are, and would plan each question for a short one anew, which costs more than finding its rows.
    const lists = types.map((type, index) => `(select $${index + 1}::${type}[])`)
    const names = types.map((_, index) => `p${index + 1}`)
    const asked = text.replaceAll(/\$(\d+)/g, (_, number) => `asked.p${number}`)
    this.#text = `select asked.place::int, found.* from unnest(${lists.join(', ')}) with ordinality
      as asked (${names.join(', ')}, place) cross join lateral (${asked}) as found`
    this.#name = statementName(this.#text)
  }

  query(all: readonly Parameters[]): QueryArrayConfig {
    const columns = all[0]?.map((_, column) => all.map((parameters) => parameters[column]))
    return { text: this.#text, name: this.#name, values: columns ?? [], rowMode: 'array' }
  }

  /** The first row for each of `count` that were asked for; undefined for what has none. */
  rows({ rows, fields }: QueryArrayResult<SqlValues[]>, count: number): (object | undefined)[] {
    const columns = fields.slice(1).map(({ name }) => name)
    this.#toRow ??= rowMaker(columns, 1)
    const found: (object | undefined)[] = new Array(count).fill(undefined)
    for (const values of rows) found[Number(values[0]) - 1] ??= this.#toRow(values)
    return found
  }
}
