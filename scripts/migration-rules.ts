/** What a migration may do while code of the last release still runs on the database: add. The rest has to say so. */

export type Compiled = {
  readonly name: string
  /** As the engines get them. */
  readonly statements: readonly string[]
  readonly narrows?: { readonly oldest: string; readonly because: string } | undefined
}

const ADDS = /^(create (table|virtual table|index|trigger|function)|insert|update|select|do|drop index) /

/** Statements after which older code may fail. `unique` are the names of unique indexes that were there before. */
export function narrowing(
  { statements }: Pick<Compiled, 'statements'>,
  unique: ReadonlySet<string>,
): string[] {
  const plain = [...new Set(statements.map(plainOf))]
  const found = (pattern: RegExp) => new Set(plain.flatMap((one) => pattern.exec(one)?.slice(1) ?? []))
  const tables = found(/^create (?:virtual )?table (\w+)/)
  const columns = found(/^alter table \w+ add column (\w+) (?!.*\bdefault\b)/)
  const isFine = (text: string): boolean => {
    const [, index = ''] = /^drop index (?:if exists )?(\w+)/.exec(text) ?? []
    if (ADDS.test(text)) return !unique.has(index)
    const [, table = '', rest = ''] = ALTERS.exec(text) ?? UNIQUE_INDEX.exec(text) ?? []
    // Older code leaves the new column empty, and empty ones are equal to none.
    const isOfNew = UNIQUE_INDEX.test(text) && words(rest).some((column) => columns.has(column))
    return tables.has(table) || isOfNew || isNewColumn(rest)
  }
  return plain.filter((text) => !isFine(text))
}

function plainOf(statement: string): string {
  return statement.trim().replace(/\s+/g, ' ').replaceAll('"', '').toLowerCase()
}

const ALTERS = /^alter table (\w+) (.*)$/
const UNIQUE_INDEX = /^create unique index \w+ on (\w+) \((.*?)\)/

/** One that older code can leave out. */
function isNewColumn(rest: string): boolean {
  const isFilled = !/\bnot null\b/.test(rest) || /\bdefault\b/.test(rest)
  return /^add column \w+ /.test(rest) && isFilled && !/\b(unique|check|drop|rename|alter)\b/.test(rest)
}

function words(text: string): string[] {
  return text.match(/\w+/g) ?? []
}

/** One line for each fault. `released` is the version of the last release. */
export function migrationComplaints(
  all: readonly Compiled[],
  isReleased: (name: string) => boolean,
  released: string | undefined,
): string[] {
  return all.flatMap((one, at) => {
    if (isReleased(one.name)) return []
    const before = new Set(all.slice(0, at).flatMap(({ statements }) => statements.flatMap(uniqueIndexes)))
    const found = narrowing(one, before)
    const { narrows } = one
    if (narrows === undefined)
      return found.map((text) => `${one.name}: older code may need what this takes away: ${short(text)}`)
    if (found.length === 0) return [`${one.name}: takes nothing away, so leave out \`narrows\``]
    const isMet = released !== undefined && compare(narrows.oldest, released) <= 0
    return isMet
      ? []
      : [`${one.name}: the last release (${released ?? 'none'}) is older than ${narrows.oldest}`]
  })
}

function uniqueIndexes(statement: string): string[] {
  return /^\s*create\s+unique\s+index\s+(\w+)/i.exec(statement)?.slice(1) ?? []
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
