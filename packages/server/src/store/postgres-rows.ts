/** Rows as objects, read from the bytes in which PostgreSQL answers them. */
import pg from 'pg'

/** From the text in which the server writes a value of one type. */
export type Parse = (text: string) => unknown
export type Parsers = (type: number) => Parse
export type Column = { readonly name: string; readonly dataTypeID: number }
export type RowReader = (from: Fields) => object

const { builtins } = pg.types
const NUMBERS: ReadonlySet<number> = new Set([
  builtins.INT2,
  builtins.INT4,
  builtins.INT8,
  builtins.FLOAT4,
  builtins.FLOAT8,
  builtins.NUMERIC,
])
const TEXTS: ReadonlySet<number> = new Set([builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR])

/** A piece of a text holds on to all of it for as long as it is kept itself. */
const LONGEST_AT_ONCE = 1024
const MOST_SAFE_DIGITS = 15

/** The fields of one row, read one after the other. */
export class Fields {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0
  #start = 0
  #text: string | undefined

  /** From the body of a row that begins at `start`. */
  begin(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes
    this.#start = start
    this.#end = end
    // How many there are the description has told.
    this.#at = start + 2
    this.#text = undefined
  }

  number(): number | null {
    const length = this.#length()
    if (length < 0) return null
    const bytes = this.#bytes
    const start = this.#at
    const end = start + length
    this.#at = end
    const isNegative = bytes[start] === 0x2d
    let value = 0
    for (let at = isNegative ? start + 1 : start; at < end; at += 1) {
      const digit = (bytes[at] as number) - 0x30
      if (digit < 0 || digit > 9 || length > MOST_SAFE_DIGITS)
        return Number(bytes.toString('latin1', start, end))
      value = value * 10 + digit
    }
    return isNegative ? -value : value
  }

  text(): string | null {
    const length = this.#length()
    if (length < 0) return null
    const start = this.#at
    this.#at = start + length
    return this.#isAscii(start) ? this.#ascii(start) : this.#bytes.toString('utf8', start, this.#at)
  }

  parsed(parse: Parse): unknown {
    const text = this.text()
    return text === null ? null : parse(text)
  }

  #length(): number {
    const bytes = this.#bytes
    const at = this.#at
    this.#at = at + 4
    return (
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
    )
  }

  #isAscii(start: number): boolean {
    if (this.#end - this.#start > LONGEST_AT_ONCE) return false
    const bytes = this.#bytes
    for (let at = start; at < this.#at; at += 1) if ((bytes[at] as number) > 0x7f) return false
    return true
  }

  /** A piece of the text of the whole row costs a fraction of what Node takes to make a text of bytes. */
  #ascii(start: number): string {
    this.#text ??= this.#bytes.toString('latin1', this.#start, this.#end)
    return this.#text.slice(start - this.#start, this.#at - this.#start)
  }
}

/**
 * Made for the columns of one statement, so that its rows have their shape from the start. Members are read in the order
 * in which they are written.
 */
export function rowReader(columns: readonly Column[], parsers: Parsers): RowReader {
  const parse = columns.map(({ dataTypeID }) => parsers(dataTypeID))
  const members = columns.map(({ name, dataTypeID: type }, index) => {
    const read = NUMBERS.has(type) ? 'number()' : TEXTS.has(type) ? 'text()' : `parsed(parse[${index}])`
    return `${JSON.stringify(name)}: from.${read}`
  })
  return new Function('parse', `return (from) => ({ ${members.join(', ')} })`)(parse) as RowReader
}
