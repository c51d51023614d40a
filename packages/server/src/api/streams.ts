/**
 * Responses that are too long to buffer. They are generated piece by piece in the form that the endpoint's
 * `response` declares.
 */
import type { Stream } from './endpoint.ts'

/**
 * Yields `{ success, [name]: […], … }`. `rest` returns the fields after the list, once the list is complete.
 */
export function streamList<Row>(
  name: string,
  pages: AsyncIterable<readonly Row[]>,
  describe: (row: Row) => object,
  rest: () => object = () => ({}),
): Stream {
  return { parts: listParts({ name, pages, describe, rest }) }
}

/** Yields `{ success, [name]: "…" }` for a string that is produced in pieces. */
export function streamText(name: string, pieces: AsyncIterable<string>): Stream {
  return { parts: textParts(name, pieces) }
}

type List<Row> = {
  readonly name: string
  readonly pages: AsyncIterable<readonly Row[]>
  readonly describe: (row: Row) => object
  readonly rest: () => object
}

/** An empty page yields an empty piece, which lets other requests run before the next page is read. */
async function* listParts<Row>({ name, pages, describe, rest }: List<Row>): AsyncGenerator<string> {
  yield `{"success":true,${JSON.stringify(name)}:[`
  let comma = ''
  for await (const page of pages) {
    const text = page.map((row) => JSON.stringify(describe(row))).join(',')
    yield text === '' ? '' : comma + text
    if (text !== '') comma = ','
  }
  const members = JSON.stringify(rest()).slice(1, -1)
  yield members === '' ? ']}' : `],${members}}`
}

async function* textParts(name: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield `{"success":true,${JSON.stringify(name)}:"`
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1)
  yield '"}'
}
