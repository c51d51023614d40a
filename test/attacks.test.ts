/**
 * Tests attacks by a man in the middle, who records all traffic between a running script and the server and
 * tampers with some of it. The server and the interpreters are real. Attacks on the handshake are in
 * `upload-to-execution.test.ts`.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import type { Attack, FrameRelay, Side } from './frame-relay.ts'
import { alongside, DEVICE, type Ended, type Job, liveScene } from './live-scene.ts'
import { Recorder } from './recorder.ts'

const COUNTING = `
local count = 0
ward.handle('count-the-sheep', function(data) count = count + 1 return { sheep = count, color = data.color } end)
while true do ward.step(1) end`
const COMMAND = 'count-the-sheep'
const COLOR = 'nearly-black'

/**
 * Returns the frames to send instead of the next frame in a direction, or `hold` to delay it. `recorded`
 * contains frames from another session.
 */
type Deed = (text: string, recorded: readonly string[]) => readonly string[] | 'hold'
const DEEDS: readonly (readonly [what: string, deed: Deed, needsOther: boolean])[] = [
  ['changed in one character', (text) => [flipped(text)], false],
  ['truncated', (text) => [text.slice(0, -4)], false],
  ['sent twice', (text) => [text, text], false],
  ['suppressed', () => [], false],
  ['delayed until after the next one', () => 'hold', false],
  ['preceded by a forged one', (text) => [randomBytes(60).toString('base64url'), text], false],
  ['preceded by one recorded earlier', (text, recorded) => [recorded.at(-1) ?? '', text], true],
  ['replaced by one of another session', (_, recorded) => [recorded[0] ?? ''], true],
]

describe('a man in the middle', () => {
  const { at, newJob } = liveScene(sqlite)
  const recorders: Recorder[] = []
  afterAll(() => Promise.all(recorders.map((recorder) => recorder.close())))

  async function newRecorder(): Promise<Recorder> {
    const recorder = await new Recorder(at().url).listen()
    recorders.push(recorder)
    return recorder
  }

  /** Sends a command to the running script, and returns how many commands the script has counted. */
  async function count(job: Job): Promise<unknown> {
    const answer = await job.tell(await job.session(), COMMAND, { color: COLOR })
    expect(answer).toMatchObject({ processed: true, response: { color: COLOR } })
    return (answer.response as { sheep: number }).sheep
  }

  async function end(job: Job, running: Promise<Ended>): Promise<void> {
    expect((await job.owner.post(`/v1/sessions/${await job.session()}/disconnect`)).status).toBe(200)
    expect((await running).stderr).toContain('(disconnected)')
  }

  test('can read neither the key, nor the device, nor commands and their responses', async ({ signal }) => {
    const [job, recorder] = [await newJob(COUNTING), await newRecorder()]
    const running = job.run({ command: 'lua5.4', through: recorder.url, signal })
    await alongside(running, async () => {
      expect(await count(job)).toBe(1)
    })
    await end(job, running)
    const { exchanges, sessions } = recorder
    const beatless = exchanges.filter(({ url }) => !url.includes('/loader/'))
    const words = [...beatless.flatMap(({ url, body, answer }) => [url, body, answer]), ...textsOf(sessions)]
    expect(sessions.frames.length).toBeGreaterThan(4)
    for (const secret of [job.key, DEVICE, COMMAND, COLOR, 'sheep', 'disconnected'])
      for (const word of words) expect([decoded(word).includes(secret), secret]).toEqual([false, secret])
  })

  for (const to of ['client', 'server'] as const) {
    test.concurrent.each(DEEDS)(
      `cannot cause anything with a frame to the ${to} that is %s`,
      async (_, deed, needsOther) => {
        const [job, recorder] = [await newJob(COUNTING), await newRecorder()]
        const recorded = needsOther ? await recordOther(job, recorder, to) : []
        const running = job.run({ command: 'luajit', through: recorder.url })
        await alongside(running, async () => {
          expect(await count(job)).toBe(1)
          const before = recorder.sessions.connections
          recorder.sessions.attack = once(deed, to, recorded)
          expect((await Promise.all([count(job), count(job)])).sort()).toEqual([2, 3])
          expect(await count(job)).toBe(4)
          // The attack was detected, and the session continued over another connection.
          expect(recorder.sessions.connections).toBeGreaterThan(before)
        })
        await end(job, running)
      },
    )
  }

  /** Returns frames from a finished session, in one direction. */
  async function recordOther(job: Job, recorder: Recorder, to: Side): Promise<readonly string[]> {
    const running = job.run({ command: 'luajit', through: recorder.url })
    await alongside(running, async () => {
      expect(await count(job)).toBe(1)
    })
    await end(job, running)
    return recorder.sessions.frames.filter(({ from }) => from !== to).map(({ text }) => text)
  }
})

/** Applies the attack to the next frame in one direction only. */
function once(deed: Deed, to: Side, recorded: readonly string[]): Attack {
  let isDone = false
  let held: string | undefined
  return ({ from, text }) => {
    if (from === to) return [text]
    if (held !== undefined) {
      const both = [text, held]
      held = undefined
      return both
    }
    if (isDone) return [text]
    isDone = true
    const instead = deed(text, recorded)
    if (instead !== 'hold') return instead
    held = text
    return []
  }
}

function flipped(text: string): string {
  const middle = text.length >> 1
  return text.slice(0, middle) + (text[middle] === 'A' ? 'B' : 'A') + text.slice(middle + 1)
}

function textsOf({ frames }: FrameRelay): string[] {
  return frames.map(({ text }) => text)
}

/** Returns two versions of a frame: unchanged, and with its fields decoded from base64url. */
function decoded(text: string): string {
  return [text, ...text.split('.').map((field) => Buffer.from(field, 'base64url').toString('latin1'))].join(
    '\n',
  )
}
