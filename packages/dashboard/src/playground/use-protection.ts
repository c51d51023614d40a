/**
 * Protects the draft, runs both scripts, attacks the output, and compares it with other builds, in this
 * order.
 */
import { useEffect, useRef, useState } from 'react'
import { askWorker, isMissing, type Missing } from './ask-worker.ts'
import type { Draft } from './draft.ts'
import type { Attacks, Protected, Variant } from './protect-worker.ts'
import { type Compared, compareRuns, runOnce } from './runs.ts'

export type Phase = 'protecting' | 'running' | 'attacking' | 'comparing'

export type TimedVariant = Variant & { /** In milliseconds. */ readonly ms: number | null }

export type Result = {
  readonly draft: Draft
  readonly failure?: Missing
  readonly errors?: readonly string[]
  readonly built?: Protected
  readonly runs?: Compared
  readonly attacks?: Attacks | Missing
  readonly variants?: readonly TimedVariant[] | Missing
}

/** Scripts that take longer than this, in milliseconds, aren't run with all the other options. */
const SLOW = 1000
const ROUNDS = 3

export function useProtection() {
  const [result, setResult] = useState<Result>()
  const [phase, setPhase] = useState<Phase>()
  const working = useRef<AbortController>(null)
  const stop = () => working.current?.abort()
  useEffect(() => () => working.current?.abort(), [])
  const start = async (draft: Draft) => {
    stop()
    const abort = new AbortController()
    working.current = abort
    setResult(undefined)
    const add = (more: Partial<Result>) => {
      if (working.current === abort) setResult((before) => ({ ...before, ...more, draft }))
    }
    const enter = (next: Phase) => working.current === abort && setPhase(next)
    await work(draft, abort.signal, { add, enter })
    if (working.current === abort) setPhase(undefined)
  }
  return { result, phase, start, stop }
}

type Hooks = { readonly add: (more: Partial<Result>) => void; readonly enter: (phase: Phase) => void }

async function work(draft: Draft, signal: AbortSignal, { add, enter }: Hooks): Promise<void> {
  enter('protecting')
  const built = await askWorker('protect', draft, signal)
  if (isMissing(built)) return add({ failure: built })
  if ('errors' in built) return add({ errors: built.errors })
  add({ built })
  let runs: Compared | undefined
  if (built.plain !== null) {
    enter('running')
    runs = await compareRuns(built.plain, built.code, signal)
    add({ runs })
  }
  enter('attacking')
  add({ attacks: await askWorker('attack', draft, signal) })
  enter('comparing')
  const variants = await askWorker('compare', draft, signal)
  if (isMissing(variants)) return add({ variants })
  let timed: readonly TimedVariant[] = variants.map((each) => ({ ...each, ms: null }))
  add({ variants: timed })
  const isQuick = runs?.times != null && runs.times.output < SLOW
  for (let round = 0; isQuick && round < ROUNDS && !signal.aborted; round++) {
    timed = await timeAll(timed, signal)
    add({ variants: timed })
  }
}

/** Alternates between the variants, so that other load on the machine affects them all equally. */
async function timeAll(variants: readonly TimedVariant[], signal: AbortSignal): Promise<TimedVariant[]> {
  const list: TimedVariant[] = []
  for (const each of variants) list.push({ ...each, ms: await fasterOf(each, signal) })
  return list
}

async function fasterOf({ code, ms }: TimedVariant, signal: AbortSignal): Promise<number | null> {
  if (code === null || signal.aborted) return ms
  const { ended } = await runOnce(code, signal)
  return ended.how === 'done' ? Math.min(ended.ms, ms ?? ended.ms) : ms
}
