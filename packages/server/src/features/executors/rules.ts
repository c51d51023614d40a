/** Decides whether a script's rules allow an executor. All functions are pure. */
import type { ExecutorVersion } from './asks.ts'

export type RuleAction = 'allow' | 'deny'
/** `watch` doesn't deny any runs, but counts those that `enforce` would deny. */
export type RuleMode = 'enforce' | 'watch'

export type ExecutorRule = {
  readonly action: RuleAction
  /** Matched case-insensitively. */
  readonly executor: string
  /** Versions that the rule applies to. Each may end in `*`. If omitted, the rule applies to all versions. */
  readonly versions?: string[]
}
export type ExecutorRules = { readonly mode: RuleMode; readonly rules: readonly ExecutorRule[] }

const NO_RULES: ExecutorRules = { mode: 'enforce', rules: [] }

export function parseRules(json: string | null): ExecutorRules {
  return json === null ? NO_RULES : (JSON.parse(json) as ExecutorRules)
}

/** Returns the effect of the rules on a run in this executor, or null if they allow it. */
export function judgeExecutor(json: string | null, executor: ExecutorVersion): 'deny' | 'watch' | null {
  if (json === null) return null
  const { mode, rules } = parseRules(json)
  const { name, version } = { name: executor.name.toLowerCase(), version: executor.version.toLowerCase() }
  const matches = (rule: ExecutorRule) => rule.executor.toLowerCase() === name && hasVersion(rule, version)
  const allowed = rules.filter(({ action }) => action === 'allow')
  const isDenied =
    rules.some((rule) => rule.action === 'deny' && matches(rule)) ||
    (allowed.length > 0 && !allowed.some(matches))
  if (!isDenied) return null
  return mode === 'watch' ? 'watch' : 'deny'
}

function hasVersion({ versions }: ExecutorRule, version: string): boolean {
  if (versions === undefined || versions.length === 0) return true
  return versions.some((one) => {
    const wanted = one.toLowerCase()
    return wanted.endsWith('*') ? version.startsWith(wanted.slice(0, -1)) : version === wanted
  })
}
