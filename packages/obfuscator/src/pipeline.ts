/**
 * Runs a plan's passes in the order of `passes/list.ts`. Each pass receives the state that earlier passes
 * provided.
 */

import type { Plan } from './options.ts'
import type { PassContext } from './pass-context.ts'
import { optionalPasses, requiredPasses } from './passes/list.ts'
import { INITIAL_STATE, type Pass, type PipelineState, type SettingValues } from './passes/pass.ts'
import { createRandom } from './random.ts'
import type { Chunk } from './syntax/ast.ts'

/** The syntax tree after all passes, and the final state. */
export type Passed = { readonly chunk: Chunk; readonly state: PipelineState }

/** Runs no further passes once a diagnostic has been reported. */
export function runPasses(source: Chunk, plan: Plan, context: Omit<PassContext, 'random'>): Passed {
  let passed: Passed = { chunk: source, state: INITIAL_STATE }
  for (const pass of [...requiredPasses, ...optionalPasses]) {
    const settings = settingsOf(pass, plan, passed.state)
    if (!settings || !context.diagnostics.isEmpty) continue
    const random = createRandom(plan.seed, pass.name)
    const { chunk, state } = pass.run(passed.chunk, { ...context, random }, settings, passed.state)
    passed = { chunk, state: { ...passed.state, ...state } }
  }
  return passed
}

/**
 * Returns the syntax tree without protection: macros and variables are expanded, and newer Luau syntax is
 * lowered for the target.
 */
export function runRequired(source: Chunk, { seed }: Plan, context: Omit<PassContext, 'random'>): Chunk {
  let chunk = source
  for (const pass of requiredPasses) {
    if (!context.diagnostics.isEmpty) return chunk
    chunk = pass.run(chunk, { ...context, random: createRandom(seed, pass.name) }, {}, INITIAL_STATE).chunk
  }
  return chunk
}

/** Returns undefined if the pass should not run. */
function settingsOf(pass: Pass, plan: Plan, { insisted }: PipelineState): SettingValues | undefined {
  const isForced = requiredPasses.includes(pass) || (pass.hidesInsisted === true && insisted.size > 0)
  return plan.passes.get(pass.name) ?? (isForced ? {} : undefined)
}
