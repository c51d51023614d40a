/**
 * Finds the position at which a string stops being valid JSON. Browsers report that position differently or
 * not at all.
 */

export type Position = { readonly line: number; readonly column: number }

const SPACE = /[ \t\n\r]*/y
/** Besides escapes, strings can contain all characters from U+0020 up, except for quotes and backslashes. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"/iy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'comma or end'

/** Returns undefined for valid JSON. */
export function jsonError(typed: string): Position | undefined {
  const scan = new Scan(typed)
  while (scan.step());
  return scan.isDone ? undefined : positionOf(typed, scan.at)
}

class Scan {
  at = 0
  private readonly text: string
  private expected: Expected = 'value'
  /** Closing brackets for the brackets that are still open. */
  private readonly closing: string[] = []

  constructor(text: string) {
    this.text = text
    this.match(SPACE)
  }

  get isDone(): boolean {
    return this.at === this.text.length && this.expected === 'comma or end' && this.closing.length === 0
  }

  /** Reads the next part of the input. Returns false at the end or at an error. */
  step(): boolean {
    if (this.expected === 'comma or end') return this.after()
    if (this.expected.endsWith(' }') || this.expected.endsWith(' ]')) {
      if (this.close()) return true
    }
    return this.expected.startsWith('key') ? this.key() : this.value()
  }

  private after(): boolean {
    const closing = this.closing.at(-1)
    if (closing === undefined) return false
    if (!this.take(',')) return this.close()
    return this.expect(closing === '}' ? 'key' : 'value')
  }

  private close(): boolean {
    const closing = this.closing.at(-1)
    if (closing === undefined || !this.take(closing)) return false
    this.closing.pop()
    return this.expect('comma or end')
  }

  private key(): boolean {
    return this.match(STRING) && this.take(':') && this.expect('value')
  }

  private value(): boolean {
    if (this.take('{')) return this.open('}')
    if (this.take('[')) return this.open(']')
    return (this.match(STRING) || this.match(SCALAR)) && this.expect('comma or end')
  }

  private open(closing: '}' | ']'): boolean {
    this.closing.push(closing)
    return this.expect(closing === '}' ? 'key or }' : 'value or ]')
  }

  private expect(expected: Expected): true {
    this.expected = expected
    return true
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false
    this.at += 1
    return this.match(SPACE)
  }

  private match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    if (pattern !== SPACE) this.match(SPACE)
    return true
  }
}

function positionOf(typed: string, at: number): Position {
  const lines = typed.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
