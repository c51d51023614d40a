/**
 * The page that sets each line of the interface beside the endpoint that serves it and the tests that prove it. It is not
 * made as long as a line has no endpoint, no such failure, or no proof that is really there.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type EndpointReason, refusals } from '../packages/server/src/domain/refusals.ts'
import type { Endpoint } from '../packages/server/src/endpoints/endpoint.ts'
import { endpoints } from '../packages/server/src/endpoints/list.ts'
import { errorRows } from '../packages/server/test/coverage/error-rows.ts'
import type { ErrorRow, PathRow, Proof, RuleRow } from '../packages/server/test/coverage/row.ts'
import { credentialRows, limitRows, stateRows } from '../packages/server/test/coverage/rule-rows.ts'
import { unversionedRows } from '../packages/server/test/coverage/unversioned-rows.ts'
import { v1Rows } from '../packages/server/test/coverage/v1-rows.ts'
import { testTitles, WITHIN } from './test-titles.ts'

const SERVER = path.join(import.meta.dirname, '..', 'packages', 'server')
/** How many lines the interface has of each kind; `v1` counts the path that it writes without the prefix. */
const COUNTS = { unversioned: 38, v1: 40, errors: 24 }
/** Sends every line of a path as the interface writes it. */
const SERVED = 'test/coverage/interface › %s is served as it is written'

type Cells = readonly string[]

export function coveragePage(): string {
  expectCount('unversioned', unversionedRows)
  expectCount('v1', v1Rows)
  expectCount('errors', errorRows)
  const sources = readSources()
  const proofs = new Proofs()
  const pathCells = (row: PathRow): Cells => {
    const found = endpointAt(row.at)
    return [`\`${row.at}\``, sources.linkTo(found), proofs.cell(row.at, [SERVED, ...row.proofs])]
  }
  const errorCells = (row: ErrorRow): Cells => {
    const links = row.at.map((at) => sources.linkTo(failingAt(at, row)))
    const proven = proofs.cell(`${row.at} ${row.message}`, row.proofs)
    return [codes(row.at), String(row.code), row.message, [...new Set(links)].join('<br>'), proven]
  }
  const ruleCells = (row: RuleRow): Cells => {
    const links = row.at.map((at) => sources.linkTo(endpointAt(at)))
    return [row.rule, codes(row.at), [...new Set(links)].join('<br>'), proofs.cell(row.rule, row.proofs)]
  }
  const rules = (rows: readonly RuleRow[]) =>
    table(['Rule', 'Paths', 'Endpoint', 'Proof'], rows.map(ruleCells))
  const paths = (rows: readonly PathRow[]) => table(['Path', 'Endpoint', 'Proof'], rows.map(pathCells))
  return [
    '# Coverage',
    'Each line of the interface beside what serves it and what proves it, made by `npm run generate` from the rows in ' +
      '[packages/server/test/coverage](../../packages/server/test/coverage). It is not made as long as a line is ' +
      'without an endpoint or a test.',
    `## Unversioned family\n\n${paths(unversionedRows)}`,
    `## Family \`/v1\`\n\n${paths(v1Rows)}`,
    `## Errors\n\n${table(['Path', 'Code', 'Message', 'Endpoint', 'Proof'], errorRows.map(errorCells))}`,
    `## States and transitions\n\n${rules(stateRows)}`,
    `## Limits\n\n${rules(limitRows)}`,
    `## Credentials\n\n${rules(credentialRows)}\n`,
  ].join('\n\n')
}

function expectCount(kind: keyof typeof COUNTS, rows: readonly unknown[]): void {
  const keys = new Set(rows.map((row) => JSON.stringify(row)))
  if (keys.size !== COUNTS[kind])
    throw new Error(`the interface has ${COUNTS[kind]} lines of ${kind}, the rows ${keys.size}`)
}

function endpointAt(at: string): Endpoint {
  const found = endpoints.find(({ method, path: where }) => `${method} ${where}` === at)
  if (!found) throw new Error(`nothing serves ${at}`)
  return found
}

/** The endpoint, which has to declare the failure with this code and these words. */
function failingAt(at: string, { code, message }: ErrorRow): Endpoint {
  const one = endpointAt(at)
  const isDeclared = Object.entries(one.failures).some(
    ([reason, known]) => known === code && refusals[reason as EndpointReason].message === message,
  )
  if (!isDeclared) throw new Error(`${at} does not declare ${code} ${message}`)
  return one
}

class Proofs {
  readonly #titles = new Map<string, readonly string[]>()

  /** Throws when there is none, or when one names a test that is not there. */
  cell(row: string, proofs: readonly Proof[]): string {
    if (proofs.length === 0) throw new Error(`nothing proves ${row}`)
    return proofs.map((proof) => this.#link(row, proof)).join('<br>')
  }

  #link(row: string, proof: Proof): string {
    const [place = '', ...rest] = proof.split(WITHIN)
    const title = rest.join(WITHIN)
    const file = `${place}.test.ts`
    const known = this.#titles.get(file) ?? testTitles(path.join(SERVER, file))
    this.#titles.set(file, known)
    const isThere = known.some((one) => one === title || one.endsWith(WITHIN + title))
    if (!isThere) throw new Error(`the proof of ${row} is not there: "${title}" in ${file}`)
    return `[${path.basename(place)}](../../packages/server/${file}): ${title}`
  }
}

/** In which file each endpoint is declared. */
function readSources(): { linkTo(endpoint: Endpoint): string } {
  const files = globSync('src/endpoints/management/*.ts', { cwd: SERVER })
  const texts = files.map((file) => [file, readFileSync(path.join(SERVER, file), 'utf8')] as const)
  return {
    linkTo: ({ name }) => {
      const plain = name.replace(/^v1\./, '')
      const found = [name, plain].flatMap((one) =>
        texts.filter(([, text]) => text.includes(`name: '${one}'`) || text.includes(`'${one}'`)),
      )[0]
      if (!found) throw new Error(`no file declares the endpoint ${name}`)
      const [file] = found
      return `[${name}](../../packages/server/${file.split(path.sep).join('/')})`
    },
  }
}

function codes(paths: readonly string[]): string {
  return paths.map((at) => `\`${at}\``).join('<br>')
}

function table(columns: Cells, rows: readonly Cells[]): string {
  const line = (cells: Cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}
