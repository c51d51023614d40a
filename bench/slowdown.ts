/**
 * Measures the slowdown of a protected program on one host. The original and the protected program alternate
 * in one run, and the result is the ratio of their median user CPU times.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

export type Host = 'lua5.1' | 'luajit' | 'luau'

/** Minimum duration of a round. Clocks are coarse, so a round repeats the program as often as needed. */
const ROUND_SECONDS = 0.05

/**
 * @param code the protected program. Like `original`, it has one character per byte.
 * @param rounds number of runs of each program. Must be odd.
 * @returns the median time of the protected program divided by that of the original.
 */
export function slowdown(host: Host, original: string, code: string, rounds = 3): Promise<number> {
  if (host === 'luau') return slowdownInLuau(original, code, rounds)
  return Promise.resolve(slowdownOn(host, original, code, rounds))
}

const TIMER = `
print = function() end
local function time(file, times)
  collectgarbage()
  local start = os.clock()
  for _ = 1, times do loadfile(file)() end
  return os.clock() - start
end
local times = 1
while time(arg[1], times) < ${ROUND_SECONDS} do times = times * 2 end
local a, b, rounds = {}, {}, tonumber(arg[3])
for round = 1, rounds do a[round], b[round] = time(arg[1], times), time(arg[2], times) end
table.sort(a) table.sort(b)
io.write(b[(rounds + 1) / 2] / a[(rounds + 1) / 2])
`

function slowdownOn(host: Host, original: string, code: string, rounds: number): number {
  const folder = mkdtempSync(path.join(tmpdir(), 'slowdown-'))
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text, 'latin1')
    return path.join(folder, name)
  }
  const files = [write('timer.lua', TIMER), write('original.lua', original), write('protected.lua', code)]
  const done = spawnSync(host, [...files, String(rounds)], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  if (done.status !== 0) throw new Error(`${host}: ${done.stderr}`)
  return Number(done.stdout)
}

const WORKER = `
import { parentPort, workerData } from 'node:worker_threads'
// pcall does not catch anything while WebAssembly.Suspending exists.
Reflect.deleteProperty(WebAssembly, 'Suspending')
const { LuauState } = await import(workerData.module)
const state = await LuauState.createAsync({ print() {} })
parentPort.on('message', async (times) => {
  const start = process.threadCpuUsage()
  const chunk = state.loadstring(workerData.code, 'script', true)
  for (let i = 0; i < times; i++) await chunk()
  parentPort.postMessage(process.threadCpuUsage(start).user / 1e6)
})
`

/**
 * Each program gets its own state, so that a program that changes its environment can't slow down the other.
 */
async function slowdownInLuau(original: string, code: string, rounds: number): Promise<number> {
  const [a, b] = [startLuau(original), startLuau(code)]
  try {
    let times = 1
    while ((await runLuau(a, times)) < ROUND_SECONDS) times *= 2
    await runLuau(b, times)
    const [ofOriginal, ofProtected]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      ofOriginal.push(await runLuau(a, times))
      ofProtected.push(await runLuau(b, times))
    }
    return median(ofProtected) / median(ofOriginal)
  } finally {
    await Promise.all([a.terminate(), b.terminate()])
  }
}

function startLuau(code: string): Worker {
  const workerData = { module: import.meta.resolve('luau-web'), code }
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`), { workerData })
}

function runLuau(worker: Worker, times: number): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.postMessage(times)
  })
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
