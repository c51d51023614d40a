/**
 * Code that a build moved out of a script with `WARD_SERVER`. The code is called by number, and stored with
 * its version so that rollbacks and rollouts apply to it as well.
 */
import type { ServerCode, ServerTable } from '@scriptward/obfuscator'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { markedBytes, markedOf } from '../builds/marked-values.ts'
import type { CallOutcome } from './sandbox/sandbox.ts'
import { openFunction, sealFunction } from './source.ts'
import { type FunctionRow, insertServerCode } from './store.ts'

/** `lines` maps each line of the source to a line in the author's file. */
type StoredFunction = { readonly source: string; readonly lines: readonly string[] }
/** Values as marked JSON, by key. The first character of a key encodes the key's type. */
type StoredTable = { readonly entries: Readonly<Record<string, unknown>> }

type Version = { readonly scriptId: string; readonly version: number }

/** Stores the code of a new version. */
export async function storeServerCode(
  tx: Queries,
  deps: Pick<Deps, 'secrets' | 'now'>,
  { scriptId, version }: Version,
  code: readonly ServerCode[],
): Promise<void> {
  const names = new Set<string>()
  const rows = code.map((one, i) => {
    const name = uniqueName(one, names)
    const text = JSON.stringify(
      one.kind === 'table' ? tableOf(one) : { source: one.source, lines: one.lines },
    )
    const id = { script_id: scriptId, version, name }
    return {
      ...id,
      ...{ number: i + 1, kind: one.kind, place: one.place, source: sealFunction(deps, id, text) },
      ...{ source_bytes: Buffer.byteLength(text), created_at: deps.now(), updated_at: deps.now() },
    }
  })
  await insertServerCode(tx, rows)
}

export function openServerCode(deps: Pick<Deps, 'secrets'>, row: FunctionRow): StoredFunction | StoredTable {
  return JSON.parse(openFunction(deps, row)) as StoredFunction | StoredTable
}

/**
 * Returns the value of an entry as marked JSON, or null if there is none. @param key marked JSON from the
 * script.
 */
export function readEntry({ entries }: StoredTable, key: unknown): unknown {
  const name = keyOf(key)
  return Object.hasOwn(entries, name) ? entries[name] : null
}

/**
 * Replaces the line number in an error, which refers to the moved source, with the line number in the
 * author's file.
 */
export function mapLines<O extends CallOutcome>(outcome: O, name: string, lines: readonly string[]): O {
  if (!('problem' in outcome) || !outcome.problem.startsWith(`${name}:`)) return outcome
  const [, line, rest] = /^(\d+): (.*)$/s.exec(outcome.problem.slice(name.length + 1)) ?? []
  const place = lines[Number(line) - 1]
  return place && rest !== undefined ? { ...outcome, problem: `${place}: ${rest}` } : outcome
}

function tableOf({ entries }: ServerTable): StoredTable {
  const marked = entries.map(([key, value]) => {
    const name = typeof key === 'string' ? markedBytes(key) : key
    return [keyOf(name), markedOf(value)] as const
  })
  return { entries: Object.fromEntries(marked) }
}

/**
 * Returns the map key of a Lua key. Two Lua keys have the same map key if and only if Lua considers them
 * equal.
 */
function keyOf(key: unknown): string {
  return `${(typeof key)[0]}${key}`
}

function uniqueName({ name, place }: ServerCode, taken: Set<string>): string {
  const base = name ?? place
  let unique = base
  for (let i = 2; taken.has(unique); i += 1) unique = `${base} (${i})`
  taken.add(unique)
  return unique
}
