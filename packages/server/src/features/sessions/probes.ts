/** Stores the list of functions that a client's host has (client protocol, Probe). */
import type { ProbeAnswer } from '@scriptward/client/probe'
import type { Deps } from '../../deps.ts'
import { recordAnswer } from '../executors/answers.ts'
import { stopReason } from './instances.ts'
import { type InstanceState, updateProbed } from './store/live-instances.ts'

/**
 * Accepts an answer only once, and only from a run that was asked. Never rejects, because the message that
 * contained the answer is valid.
 */
export async function storeProbe(
  deps: Deps,
  instance: InstanceState,
  { v, has }: ProbeAnswer,
): Promise<void> {
  const { exec, executor, probe: version, address } = instance
  if (version === null || address === null) return
  try {
    if (await stopReason(deps, instance)) return
    const answer = { name: executor, version, address, list: v, functions: has }
    await recordAnswer(deps, answer, (tx) => updateProbed(tx, exec))
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    deps.log.warn({ error: words }, "an executor's functions were not stored")
  }
}
