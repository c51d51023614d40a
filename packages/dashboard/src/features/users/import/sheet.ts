/**
 * Reads a CSV or JSON file of users as rows with named columns. Long files are processed in slices, so that the page
 * stays responsive.
 */
import Papa, { type ParseResult, type Parser } from 'papaparse'
import { unescapeFormula } from '../../../lib/csv.ts'
import { text } from '../../../messages/text.ts'

export type Row = Readonly<Record<string, unknown>>
export type Sheet = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

const CHUNK_LENGTH = 256 * 1024
const SLICE_ROWS = 5_000
/** Name of the field in which the parser puts cells beyond the last column. */
const EXTRA = '__parsed_extra'

/** Returns an error message if the file can't contain users. */
export async function readSheet(file: File): Promise<Sheet | string> {
  const content = decoded(await file.arrayBuffer())
  if (content === undefined) return text.users.notUtf8
  const rows = /^\s*[[{]/.test(content) ? rowsIn(content) : await readCsv(content)
  if (typeof rows === 'string') return rows
  if (rows === undefined || rows.length === 0) return text.users.noRows
  const columns = await columnsOf(rows)
  return columns.length === 0 ? text.users.noRows : { columns, rows }
}

/** Returns undefined for other encodings, which some spreadsheet programs use. Accented letters would be lost. */
function decoded(content: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

/** Processes the items in slices, so that the page stays responsive. */
export async function inSlices<Item>(items: readonly Item[], work: (item: Item, index: number) => void) {
  for (let start = 0; start < items.length; start += SLICE_ROWS) {
    for (const [index, item] of items.slice(start, start + SLICE_ROWS).entries()) work(item, start + index)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** Accepts a list, or an object with a list in one of its fields, such as an API export. */
function rowsIn(json: string): Row[] | undefined {
  try {
    const value: unknown = JSON.parse(json)
    const list = Array.isArray(value) ? value : Object.values(value as object).find(Array.isArray)
    return list?.map(rowOf)
  } catch {
    return undefined
  }
}

/** A plain string counts as a key. */
function rowOf(each: unknown): Row {
  if (typeof each === 'string') return { key: each }
  return typeof each === 'object' && each !== null ? (each as Row) : {}
}

/** Matches the heading of a key column. The server uses the same pattern. */
const HEADING = /^[a-z_ ]*(key|licen[sc]e|serial|code|token)s?[a-z_ ]*$/i

/**
 * If a list has no heading, the parser uses the first key as the column name. This turns that name back into
 * a row.
 */
function withFirstKey(rows: Row[], names: readonly string[]): Row[] {
  const [first = '', ...others] = names
  if (others.length > 0 || first === '' || HEADING.test(first)) return rows
  return [{ key: first }, ...rows.map((row) => ({ key: row[first] }))]
}

/** Takes decoded text. Given a file, the parser would break multi-byte characters at the edges of chunks. */
function readCsv(content: string): Promise<Row[] | string> {
  return new Promise((resolve) => {
    const rows: Row[] = []
    let names: readonly string[] = []
    Papa.parse<Row>(content, {
      header: true,
      skipEmptyLines: 'greedy',
      chunkSize: CHUNK_LENGTH,
      transformHeader: (name) => name.trim(),
      transform: unescapeFormula,
      chunk: ({ data, errors, meta }: ParseResult<Row>, parser: Parser) => {
        const broken = errors.find(({ type }) => type === 'Quotes')
        if (broken) {
          // In the first chunk, the column names count as a row.
          const at = rows.length + (broken.row ?? 0) + (rows.length === 0 ? 0 : 1)
          resolve(text.users.openQuote(at))
          return parser.abort()
        }
        names = meta.fields ?? []
        for (const row of data) rows.push(row)
        parser.pause()
        setTimeout(parser.resume)
      },
      complete: () => resolve(withFirstKey(rows, names)),
    })
  })
}

async function columnsOf(rows: readonly Row[]): Promise<string[]> {
  const names = new Set<string>()
  await inSlices(rows, (row) => {
    for (const name of Object.keys(row)) names.add(name)
  })
  return [...names].filter((name) => name !== EXTRA && name !== '')
}
