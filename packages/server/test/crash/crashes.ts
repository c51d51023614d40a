/** Defines the crash tests for both engines. `npm run test:crash` sets the number of rounds. */
import { expect, it } from 'vitest'
import { effort } from '../../../client/test/effort.ts'
import type { Engine } from '../databases.ts'
import type { Sabotage } from './child.ts'
import { playRounds } from './rounds.ts'

/** Rounds per database. The default is low because each round reads the data of all earlier rounds. */
const ROUNDS_OF_A_STORE = 5
const ROUND_TIMEOUT_MS = 300_000
/**
 * A kill may come at a moment when the saboteur is not violating anything. Usually, the first or second round
 * detects a violation.
 */
const SABOTEUR_ROUNDS = 60
const SABOTAGES: readonly Sabotage[] = ['answers before it commits', 'commits every statement']

export function crashesOn(engine: Engine, usual: { readonly day: number; readonly night: number }): void {
  const { SCRIPTWARD_CRASH_ROUNDS: asked } = process.env
  const rounds = Number(asked ?? effort(usual))
  const patience = (count: number) => ROUND_TIMEOUT_MS * count

  it(
    `keeps every acknowledged change and leaves nothing half done when it is killed, ${rounds} times on ${engine.name}`,
    async () => {
      for (let left = rounds; left > 0; left -= ROUNDS_OF_A_STORE) {
        const played = Math.min(left, ROUNDS_OF_A_STORE)
        const { acknowledged, wrong } = await playRounds(engine, { rounds: played })
        process.stdout.write(`${engine.name}: killed ${played} times, ${acknowledged} changes acknowledged\n`)
        expect(wrong).toEqual([])
        expect(acknowledged).toBeGreaterThan(8 * played)
      }
    },
    patience(rounds),
  )

  // These tests check the rounds themselves. The rounds rarely change, and these tests take ten times as
  // long, so they rarely run.
  if (asked === undefined && effort({ day: true, night: false })) return

  it.each(SABOTAGES)(
    `is reported if it %s, on ${engine.name}`,
    async (sabotage) => {
      const { wrong } = await playRounds(engine, { rounds: SABOTEUR_ROUNDS, sabotage })
      expect(wrong).not.toEqual([])
    },
    patience(SABOTEUR_ROUNDS),
  )

  it.each(SABOTAGES)(
    `is not reported if it %s but stops gracefully, on ${engine.name}`,
    async (sabotage) => {
      const { wrong } = await playRounds(engine, { rounds: 1, sabotage, gently: true })
      expect(wrong).toEqual([])
    },
    patience(1),
  )
}
