/** Rows of a spreadsheet as records: texts by the names of the first row. */
import Papa from 'papaparse'

/** What keeps a list from being read: the member of the request, and what it must be. */
export type Unread = { readonly field: string; readonly fix: string }
type Row = Record<string, string>

const MOST_COLUMNS = 200
/** Characters in which the first row has to end, so that it is judged before anything else is parsed. */
const HEAD = 65_536

/**
 * The parser detects the separator; a byte order mark and empty rows are left out. It stops at one row more than `limit`.
 */
export function readCsv(text: string, limit: number): Row[] | Unread {
  const unread = judgeHead(text)
  if (unread !== undefined) return unread
  const rows: Row[] = []
  let broken = false
  Papa.parse<Row>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: namesOnce(),
    step: ({ data, errors }, parser) => {
      broken = errors.some(({ type }) => type === 'Quotes')
      if (!broken) rows.push(data)
      if (broken || rows.length > limit) parser.abort()
    },
  })
  if (!broken) return rows
  return {
    field: 'csv',
    fix: `row ${rows.length + 1} has a quote that does not end: the file may be cut off`,
  }
}

/** The parser would write to standard error when two columns have one name. The second becomes `name_1`. */
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

function judgeHead(text: string): Unread | undefined {
  const head = text.slice(0, HEAD)
  if (text.length > HEAD && !/[\r\n]/.test(head.trimStart()))
    return { field: 'csv', fix: `must have a row of names of at most ${HEAD} characters, and a line break` }
  const { data } = Papa.parse<string[]>(head, { skipEmptyLines: 'greedy' })
  const columns = data[0]?.length ?? 0
  return columns <= MOST_COLUMNS
    ? undefined
    : {
        field: 'csv',
        fix: `must have at most ${MOST_COLUMNS} columns, and has ${columns}: remove those that describe no user`,
      }
}
