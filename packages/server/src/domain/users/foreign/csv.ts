/** Rows of a spreadsheet as records: texts by the names of the first row. */
import Papa from 'papaparse'
import { type Refused, refuseMember } from '../../refusals.ts'

/** The parser detects the separator; a byte order mark and empty rows are left out. */
export function readCsv(text: string): Record<string, string>[] | Refused<'invalid_request'> {
  const { data, errors } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.replace(/^\uFEFF/, '').trim(),
  })
  const broken = errors.find(({ type }) => type === 'Quotes')
  if (broken === undefined) return data
  const row = (broken.row ?? 0) + 1
  return refuseMember('csv', `row ${row} has a quote that does not end: the file may be cut off`)
}
