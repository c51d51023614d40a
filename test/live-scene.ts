/**
 * Setup for tests of running scripts: an author with one script and its customers, the real server, the
 * served loader and real interpreters, connected by a relay that can be cut.
 */
import { afterAll, expect } from 'vitest'
import { type Outcome, runLoader, runLuau, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import type { Engine } from '../packages/server/test/databases.ts'
import { type Owner, serverOn, type TestServer } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'
import { Cutter } from './cutter.ts'

export type How = {
  /** The name of an interpreter in `COMMANDS`, or `luau`. */
  readonly command: string
  readonly transport?: keyof typeof TRANSPORTS
  /** Defaults to the script's key; null means no key. */
  readonly key?: string | null
  readonly device?: string
  /** Speed of the host's clock: at higher speeds, minutes of the protocol pass in seconds. */
  readonly speed?: number
  /** Lua code to run before the loader. */
  readonly before?: string
  /** URL to use instead of the relay. */
  readonly through?: string
  readonly signal?: AbortSignal
}
export type Ended = Outcome
export type Listed = { readonly id: string; readonly state: string; readonly user_key: string | null }

/** Call this inside a `describe`. */
export function liveScene(engine: Engine, options: Parameters<typeof serverOn>[1] = {}) {
  const { at } = serverOn(engine, options)
  const jobs: Job[] = []
  afterAll(() => Promise.all(jobs.map(({ wire }) => wire.close())))
  return {
    at,
    async newJob(script: string, flags: object = {}): Promise<Job> {
      const { owner, project: projectId } = await createOwner(at())
      const scriptId = await createScript(owner, projectId, { name: 'live', script })
      const key = await createUser(owner, projectId)
      const wire = await new Cutter(at().url).listen()
      const job = new Job(at(), owner, { projectId, scriptId, key, wire })
      jobs.push(job)
      await job.change('', { use_heartbeat: true, ...flags })
      return job
    },
  }
}

type Made = Pick<Job, 'projectId' | 'scriptId' | 'key' | 'wire'>

export class Job {
  readonly owner: Owner
  readonly projectId: string
  readonly scriptId: string
  readonly key: string
  readonly wire: Cutter
  readonly #server: TestServer

  constructor(server: TestServer, owner: Owner, { projectId, scriptId, key, wire }: Made) {
    this.#server = server
    this.owner = owner
    this.projectId = projectId
    this.scriptId = scriptId
    this.key = key
    this.wire = wire
  }

  /** Edits the script, or calls an endpoint such as `/toggle`. */
  async change(path: '' | 'toggle' | 'update', body: object): Promise<void> {
    const { status, text } = await this.owner.post(`/v1/scripts/${this.scriptId}/${path || 'edit'}`, body)
    expect([status, text]).toEqual([200, expect.any(String)])
  }

  async newKey(members: object = {}): Promise<string> {
    const key = await createUser(this.owner, this.projectId)
    await this.changeUser(key, members)
    return key
  }

  async changeUser(key: string, members: object): Promise<void> {
    expect((await this.owner.post(`/v1/users/${key}/edit`, members)).status).toBe(200)
  }

  async download(query = '', through = this.wire.url): Promise<string> {
    const headers = { connection: 'close' }
    return (await fetch(`${through}/client/v1/loader/${this.scriptId}${query}`, { headers })).text()
  }

  /** Downloads a loader and runs it as a customer would. */
  async run({ command, transport = 'LuaSocket', through, signal, ...how }: How): Promise<Ended> {
    const isLuau = command === 'luau'
    const text = await this.download(`?rt=${RUNTIME_NAMES[command]}`, through)
    const before = [...this.#prelude(how), quickened(how.speed, isLuau), how.before ?? ''].join('\n')
    if (isLuau) return runLuau({ text, before, live: true }, signal)
    return runLoader({ command, text, before, env: TRANSPORTS[transport], ...(signal ? { signal } : {}) })
  }

  async sessions(): Promise<readonly Listed[]> {
    const { body } = await this.owner.get(`/v1/scripts/${this.scriptId}/sessions`)
    return body.sessions as readonly Listed[]
  }

  /** Returns the ID of a session as soon as one is in this state. */
  session(state = 'ready'): Promise<string> {
    return until(`a session that is ${state}`, async () => {
      return (await this.sessions()).find((session) => session.state === state)?.id
    })
  }

  async tell(sid: string, key: string, data: unknown = null): Promise<Readonly<Record<string, unknown>>> {
    return (await this.owner.post(`/v1/sessions/${sid}/message`, { key, data })).body
  }

  /** Returns the stored running instances. */
  instances() {
    const { read } = this.#server.deps.db
    return read.selectFrom('instances').selectAll().where('script_id', '=', this.scriptId).execute()
  }

  /**
   * Waits until the only instance is granted and its client has received the grant, so that a cut affects
   * only later messages.
   */
  async granted(): Promise<void> {
    await until('the grant', async () => (await this.instances()).length === 1 && this.wire.isIdle)
  }

  /** Waits until the only instance has sent this many heartbeats. */
  async beaten(times: number): Promise<void> {
    await until(`${times} beats`, async () => ((await this.instances())[0]?.beat_n ?? 0) >= times)
  }

  #prelude({ key = this.key, device = DEVICE }: Pick<How, 'key' | 'device'>): string[] {
    return [key === null ? '' : `script_key = "${key}"`, `function gethwid() return "${device}" end`]
  }
}

/** Script code that prints why it is stopped and reports its version on request. */
export const WATCHFUL = `
ward.handle('version', function() return { version = ward.script_version } end)
ward.on_kick = function(reason) print('kick ' .. reason) end
print('started ' .. tostring(ward.supports_sessions))
`

/** Like `WATCHFUL`, but runs until it is stopped. */
export const LOOPING = `${WATCHFUL}while true do ward.step(1) end`

/** Runs `work` while a script runs. If the script ends early, the error includes its output. */
export async function alongside(running: Promise<Ended>, work: () => Promise<void>): Promise<void> {
  const early = running.then((ended) => {
    throw new Error(`the script ended early: ${JSON.stringify(ended)}`)
  })
  await Promise.race([work(), early])
}

/** Timeout for hung tests. */
const PATIENCE_MS = 240_000
export const DEVICE = 'DEVICE-OF-THE-USER'
const RUNTIME_NAMES: Readonly<Record<string, string>> = {
  'lua5.1': '51',
  luajit: 'jit',
  'luajit -joff': 'jit',
  'lua5.4': '54',
  luau: 'luau',
}

/** Returns the first result that is not undefined. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<NonNullable<T>> {
  const last = Date.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > last) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function quickened(speed: number | undefined, isLuau: boolean): string {
  if (speed === undefined) return ''
  const library = isLuau
    ? `os = setmetatable({}, { __index = os }) quicken(os, 'clock')`
    : `quicken(os, 'time') local has, socket = pcall(require, 'socket') if has then quicken(socket, 'gettime') end`
  return `local function quicken(library, name)
    local real = library[name]
    local from = real()
    library[name] = function(...)
      if ... then return real(...) end
      return from + (real() - from) * ${speed}
    end
  end
  ${library}`
}
