/** Rules about which executors may run a script, and the customers that these rules would deny. */
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { describeHits } from '../executors/hits.ts'
import { type ExecutorRule, type ExecutorRules, parseRules } from '../executors/rules.ts'
import { deleteHits } from '../executors/store/hits.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { type ScriptRow, updateScript } from './store/scripts.ts'

type Subject = { readonly customer: CustomerRow; readonly project: ProjectRow; readonly script: ScriptRow }

export async function getExecutorRules(deps: Deps, script: ScriptRow) {
  const { mode, rules } = parseRules(script.executor_rules)
  const hits = await describeHits(deps, script.id)
  return { mode, rules: rules.map(({ versions = [], ...rule }) => ({ ...rule, versions })), hits }
}

/**
 * Replaces the rules, which take effect on the next run. Resets the counts, because different rules would
 * deny different customers.
 */
export function editExecutorRules(
  deps: Deps,
  { customer, project, script }: Subject,
  { mode, rules }: ExecutorRules,
): Promise<undefined | Refused<'account_expired' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return Promise.resolve(refuse('account_expired'))
  const executor_rules = rules.length === 0 ? null : JSON.stringify({ mode, rules: rules.map(shortened) })
  return deps.db.transaction(async (tx) => {
    if (!(await updateScript(tx, project.id, script.id, { executor_rules }))) return refuse('not_found')
    if (executor_rules !== script.executor_rules) await deleteHits(tx, script.id)
    return undefined
  })
}

function shortened({ action, executor, versions = [] }: ExecutorRule): ExecutorRule {
  return { action, executor: executor.trim(), ...(versions.length === 0 ? {} : { versions }) }
}
