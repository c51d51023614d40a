/** Formats the report of a server or local build. */

import type { Suggestion } from '@scriptward/obfuscator'
import { type Connection, ServiceError, v1ScriptVersionsGet } from '@scriptward/sdk'
import { secondsOf } from '../durations.ts'
import { bytesOf } from './output.ts'

export type Build = {
  readonly version: number | null
  readonly preset: string
  readonly source_bytes: number
  readonly protected_bytes: number
  readonly duration_ms: number
  readonly watermark: string
  /** Which copies can be traced; undefined if the version's report predates this field. */
  readonly tracing?: string | undefined
  readonly warnings: readonly string[]
  readonly server_code: ServerCodeCounts
  readonly suggestions: readonly Suggestion[]
}

type ServerCodeCounts = { readonly functions: number; readonly tables: number }

/** Reads a version's report. Resolves to undefined if the token can push scripts but not read them. */
export async function readBuild(
  client: Connection,
  script_id: string,
  n: number,
): Promise<Build | undefined> {
  try {
    const path = { script_id, n }
    const { version } = (await v1ScriptVersionsGet({ client, path, throwOnError: true })).data
    const report = version.report as Partial<
      Pick<Build, 'watermark' | 'tracing' | 'warnings' | 'suggestions'>
    >
    const { preset, source_bytes, protected_bytes, duration_ms } = version
    return {
      version: version.version,
      preset,
      source_bytes,
      protected_bytes,
      duration_ms,
      watermark: report.watermark ?? 'unknown',
      tracing: report.tracing,
      warnings: report.warnings ?? [],
      server_code: countServerCode(version.server_code),
      suggestions: report.suggestions ?? [],
    }
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'forbidden') return undefined
    throw error
  }
}

/** Formats a summary, such as `95 B → 8.4 KB in 0.2 s, preset strong, watermark full`. */
export function describeBuild(build: Build): string {
  const sizes = `${bytesOf(build.source_bytes)} → ${bytesOf(build.protected_bytes)}`
  return `${sizes} in ${secondsOf(build.duration_ms)}, preset ${build.preset}, watermark ${build.watermark}`
}

export function countServerCode(code: readonly { readonly kind: string }[]): ServerCodeCounts {
  const tables = code.filter(({ kind }) => kind === 'table').length
  return { functions: code.length - tables, tables }
}

/** For example, `2 functions and 1 table run on the server`; undefined if nothing was moved. */
export function describeServerCode({ functions, tables }: ServerCodeCounts): string | undefined {
  const parts = [...countOf(functions, 'function'), ...countOf(tables, 'table')]
  if (parts.length === 0) return undefined
  const verb = functions === 0 ? 'stay' : 'run'
  return `${parts.join(' and ')} ${functions + tables === 1 ? `${verb}s` : verb} on the server`
}

/** Longer lists would bury the rest of the output. `--json` prints all suggestions. */
const MAX_SUGGESTED = 5

/**
 * Lists the best functions to move to the server, and the command that moves them. Empty if there are none.
 */
export function describeSuggestions(suggestions: readonly Suggestion[]): string[] {
  const good = suggestions.filter(({ obstacle }) => obstacle === null).slice(0, MAX_SUGGESTED)
  if (good.length === 0) return []
  const lines = good.map(
    ({ name, place, constants, lines: count, callSites, testCalls }) =>
      `  ${name} (${place}): hides ${plural(constants, 'constant')} in ${plural(count, 'line')}, called in ${plural(callSites, 'place')}${testCalls === null ? '' : `, ${plural(testCalls, 'time')} in the test`}`,
  )
  const all = good.map(({ name }) => name).join(',')
  return [
    "could run on the server, where customers can't read them:",
    ...lines,
    `  scriptward push --server ${all}`,
  ]
}

function countOf(count: number, noun: string): string[] {
  return count === 0 ? [] : [plural(count, noun)]
}

function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}

/** Returns the lines that customers paste into their executor. */
export function loaderLines(url: string, script: string, key = '…'): string {
  return `script_key = "${key}"\nloadstring(game:HttpGet("${loaderAddress(url, script)}"))()`
}

export function loaderAddress(url: string, script: string): string {
  return `${url}/client/v1/loader/${script}`
}
