/**
 * Measures one-megabyte sources: the cost compared with 100 KB, the memory usage, and whether hosts can load
 * the output. Each measurement runs in a child process, because memory is measured per process. Luau loads
 * the output of a 100 KB source instead, because the Luau build used here has too little memory for one
 * megabyte.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { corpusOf, cpuTime, protect } from './protected.ts'
import type { Row } from './row.ts'
import { median } from './slowdown.ts'

const KB = 1024
const LOAD_SECONDS = 60

export async function benchMegabyte(preset: string): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'megabyte-'))
  const file = path.join(folder, 'protected.lua')
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), preset, file], {
    encoding: 'utf8',
  })
  if (child.status !== 0) throw new Error(child.stderr)
  const { time, ratio, memory } = JSON.parse(child.stdout) as Record<string, number>
  const small = path.join(folder, 'small.lua')
  writeFileSync(small, protect(corpusOf(100 * KB), preset), 'latin1')
  const inLuau = (await loadsInLuau(small)) ? [] : ['luau']
  const refusing = [...loads('lua5.1', file), ...loads('luajit', file), ...inLuau]
  rmSync(folder, { recursive: true })
  const note = refusing.join(', ')
  return [
    { name: `${preset}: 1 MB of source`, value: time ?? 0, unit: 's', limit: '<= 8' },
    { name: `${preset}: 1 MB / 100 KB`, value: ratio ?? 0, unit: 'x', limit: '<= 12' },
    { name: `${preset}: memory for 1 MB`, value: memory ?? 0, unit: 'MB', limit: '<= 1024' },
    {
      name: `${preset}: hosts that refuse that output`,
      value: refusing.length,
      unit: 'hosts',
      limit: '= 0',
      note,
    },
  ]
}

function loads(host: string, file: string): string[] {
  const done = spawnSync(host, ['-e', `assert(loadfile('${file}'))`], { timeout: LOAD_SECONDS * 1000 })
  return done.status === 0 ? [] : [host]
}

const LUAU = `
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
const { LuauState } = await import(workerData.module)
const state = await LuauState.createAsync({ print() {} })
try {
  state.loadstring(readFileSync(workerData.file, 'latin1'), 'script', true)
  parentPort.postMessage(true)
} catch {
  parentPort.postMessage(false)
}
`

async function loadsInLuau(file: string): Promise<boolean> {
  const workerData = { module: import.meta.resolve('luau-web'), file }
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(LUAU)}`), { workerData })
  const answer = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), LOAD_SECONDS * 1000)
    const settle = (value: boolean) => {
      clearTimeout(timer)
      resolve(value)
    }
    worker.once('message', settle)
    worker.once('error', () => settle(false))
  })
  await worker.terminate()
  return answer
}

function measure(preset: string, file: string): void {
  const [small, large] = [corpusOf(100 * KB), corpusOf(KB * KB)]
  for (let i = 0; i < 3; i++) protect(small, preset)
  writeFileSync(file, protect(large, preset), 'latin1')
  const timeOf = (source: string) =>
    median(Array.from({ length: 3 }, () => cpuTime(() => void protect(source, preset))))
  const [ofSmall, ofLarge] = [timeOf(small), timeOf(large)]
  const memory = process.resourceUsage().maxRSS / KB
  process.stdout.write(JSON.stringify({ time: ofLarge / 1000, ratio: ofLarge / ofSmall, memory }))
}

if (import.meta.main) measure(process.argv[2] ?? '', process.argv[3] ?? '')
