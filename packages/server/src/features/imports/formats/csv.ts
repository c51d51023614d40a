/** Parses spreadsheet rows into records of strings, keyed by the column names of the first row. */
import Papa from 'papaparse'
import { unquoteCell } from '../../keys/formulas.ts'

/** The reason why a list can't be read: the request field, and what it must contain. */
export type Unread = { readonly field: string; readonly fix: string }
type Row = Record<string, string>

const MAX_COLUMNS = 200
/** Maximum length of the first row in characters. The row is checked before anything else is parsed. */
const HEAD = 65_536

/**
 * The parser detects the separator, skips a byte order mark and empty rows, and stops one row after `limit`.
 */
export function readCsv(text: string, limit: number): Row[] | Unread {
  const head = readHead(text)
  if ('fix' in head) return head
  if (isListOfKeys(head.names)) return readKeys(text, limit)
  const rows: Row[] = []
  let broken = false
  Papa.parse<Row>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: namesOnce(),
    transform: unquoteCell,
    step: ({ data, errors }, parser) => {
      broken = errors.some(({ type }) => type === 'Quotes')
      if (!broken) rows.push(data)
      if (broken || rows.length > limit) parser.abort()
    },
  })
  if (!broken) return rows
  return {
    field: 'csv',
    fix: `has an unclosed quote in row ${rows.length + 1}. The file may be truncated`,
  }
}

/**
 * If two columns had the same name, the parser would write to standard error, so the second becomes `name_1`.
 */
function namesOnce(): (name: string) => string {
  const seen = new Set<string>()
  return (given) => {
    const name = given.replace(/^\uFEFF/, '').trim()
    let own = name
    for (let n = 1; seen.has(own); n += 1) own = `${name}_${n}`
    seen.add(own)
    return own
  }
}

/** Matches the heading of a column that contains only keys, such as `key`, `License Keys` or `serial`. */
const HEADING = /^[a-z_ ]*(key|licen[sc]e|serial|code|token)s?[a-z_ ]*$/i
const isListOfKeys = (names: readonly string[]) => names.length === 1

/** Reads one key per line, with or without a heading. All characters in a key are taken literally. */
function readKeys(text: string, limit: number): Row[] {
  const rows: Row[] = []
  for (const [line] of text.replace(/^\uFEFF/, '').matchAll(/[^\r\n]+/g)) {
    const key = line.trim()
    if (key === '' || (rows.length === 0 && HEADING.test(key))) continue
    rows.push({ key })
    if (rows.length > limit) break
  }
  return rows
}

function readHead(text: string): { readonly names: readonly string[] } | Unread {
  const head = text.slice(0, HEAD)
  if (text.length > HEAD && !/[\r\n]/.test(head.trimStart()))
    return {
      field: 'csv',
      fix: `must start with a header row of at most ${HEAD} characters, followed by a line break`,
    }
  const { data } = Papa.parse<string[]>(head, { skipEmptyLines: 'greedy' })
  const names = (data[0] ?? []).map((name) => name.replace(/^\uFEFF/, '').trim())
  const columns = names.length
  return columns <= MAX_COLUMNS
    ? { names }
    : {
        field: 'csv',
        fix: `must have at most ${MAX_COLUMNS} columns, and has ${columns}: remove columns that don't describe users`,
      }
}
