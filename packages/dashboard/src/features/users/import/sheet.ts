/**
 * Reads a CSV or JSON file of users as rows with named columns. Long files are processed in slices, so that the page
 * stays responsive.
 */
import Papa from 'papaparse'
import { unquoted } from '../../../lib/csv.ts'

export type Row = Readonly<Record<string, unknown>>
export type Sheet = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

const CHUNK_BYTES = 256 * 1024
const SLICE_ROWS = 5_000
/** Name of the field in which the parser puts cells beyond the last column. */
const EXTRA = '__parsed_extra'

/** Returns undefined if the content cannot contain users. */
export async function readSheet(file: File): Promise<Sheet | undefined> {
  const rows = (await isJson(file)) ? rowsIn(await file.text()) : await readCsv(file)
  if (rows === undefined || rows.length === 0) return undefined
  const columns = await columnsOf(rows)
  return columns.length === 0 ? undefined : { columns, rows }
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

function readCsv(file: File): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    let names: readonly string[] = []
    Papa.parse<Row>(file, {
      header: true,
      skipEmptyLines: 'greedy',
      chunkSize: CHUNK_BYTES,
      transform: unquoted,
      transformHeader: (name) => name.replace(/^\uFEFF/, '').trim(),
      chunk: ({ data, meta }) => {
        names = meta.fields ?? []
        for (const row of data) rows.push(row)
      },
      complete: () => resolve(withFirstKey(rows, names)),
      error: reject,
    })
  })
}

async function isJson(file: File): Promise<boolean> {
  const start = await file.slice(0, 100).text()
  return /^\uFEFF?\s*[[{]/.test(start)
}

async function columnsOf(rows: readonly Row[]): Promise<string[]> {
  const names = new Set<string>()
  await inSlices(rows, (row) => {
    for (const name of Object.keys(row)) names.add(name)
  })
  return [...names].filter((name) => name !== EXTRA && name !== '')
}
