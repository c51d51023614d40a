/** Records the tracing span of a build: its waiting time, run time and result. */
import { type Attributes, type Spans, within } from '../../platform/tracing/spans.ts'
import type { BuildOutcome, BuildRequest } from './build.ts'
import type { Obfuscator } from './pool.ts'

export type Ordered = { readonly obfuscator: Obfuscator; readonly request: BuildRequest }

export function tracedBuild(
  spans: Spans,
  name: string,
  { obfuscator, request }: Ordered,
): Promise<BuildOutcome> {
  const { preset = 'strong', target = 'any' } = request.options
  const attributes = { 'scriptward.preset': preset, 'scriptward.target': target }
  return within(spans.begin(name, { attributes }), () => obfuscator.buildScript(request), describeOutcome)
}

function describeOutcome(outcome: BuildOutcome): Attributes {
  if (typeof outcome === 'string') return { 'scriptward.outcome': outcome }
  if ('errors' in outcome) return { 'scriptward.outcome': outcome.isExhausted ? 'exhausted' : 'refused' }
  return { 'scriptward.outcome': 'built', 'scriptward.obfuscation_ms': Math.round(outcome.durationMs) }
}
