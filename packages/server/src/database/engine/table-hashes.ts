/** Compares two databases of any engine by row count and a hash over all rows of each table. */
import { createHash } from 'node:crypto'
import { tables } from '../schema/tables.ts'
import type { Row } from './contents.ts'

export type TableName = keyof typeof tables
export type TableHash = { readonly count: number; readonly hash: string }
/** Reads the rows of one snapshot, in batches and in any order. */
export type ReadTable = (table: TableName) => AsyncIterable<readonly Row[]>

export const TABLE_NAMES = Object.keys(tables) as TableName[]

/** Quoted column names, because one of them is an SQL keyword. */
export function columnsOf(table: TableName): string[] {
  return Object.keys(tables[table]).map((name) => `"${name}"`)
}

export async function hashTables(read: ReadTable): Promise<Record<string, TableHash>> {
  const hashes: Record<string, TableHash> = {}
  for (const table of TABLE_NAMES) {
    const hash = new RowHash(table)
    for await (const rows of read(table)) for (const row of rows) hash.add(row)
    hashes[table] = hash.digest()
  }
  return hashes
}

/** Ignores the order of rows, because the engines sort strings differently. Keys make every row distinct. */
export class RowHash {
  readonly #columns: readonly string[]
  readonly #sum = Buffer.alloc(32)
  #count = 0

  constructor(table: TableName) {
    this.#columns = Object.keys(tables[table])
  }

  add(row: Row): void {
    const text = JSON.stringify(this.#columns.map((name) => plain(row[name])))
    const hash = createHash('sha256').update(text).digest()
    for (let i = 0; i < hash.length; i += 4)
      this.#sum.writeInt32BE(this.#sum.readInt32BE(i) ^ hash.readInt32BE(i), i)
    this.#count += 1
  }

  digest(): TableHash {
    return { count: this.#count, hash: this.#sum.toString('hex') }
  }
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value
}
