/** Tests the guides: the code blocks of each page are run in order against a separate server process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_KEY } from '../bench/served.ts'
import { freePort } from '../packages/server/test/ports.ts'
import { commandPath } from '../packages/server/test/programs.ts'
import { type Block, expectedOutputs, readBlocks, scriptOf } from './guide-blocks.ts'
import { servedFolder } from './served-folder.ts'

const ROOT = path.join(import.meta.dirname, '..')
const pages = globSync('docs/guide/*.md', { cwd: ROOT }).sort()
const SERVICE = 'http://127.0.0.1:8080'
/** Ports of the servers on the pages. Another program on this machine may use them. */
const PORTS = /\b(?:8090|8091|18099)\b/g
/** A page can run sixty commands, each in its own process, and the machine may be busy. */
const HANG_MS = 900_000

describe('the guides', () => {
  const { served, folder } = servedFolder()

  // The programs on the pages import the SDK from this folder.
  beforeAll(() => symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder(), 'node_modules')))

  it.each(pages)('%s works as written', { timeout: 2 * HANG_MS }, async (page) => {
    const port = String(await freePort())
    const blocks = readBlocks(path.join(ROOT, page)).map((block) => here(block, port))
    const home = path.join(folder(), path.basename(page, '.md'))
    const out = path.join(home, '.out')
    mkdirSync(out, { recursive: true })
    const status = await runShell(scriptOf(blocks), home, out)
    expect(status, explain(page, blocks, out)).toBe(0)
    for (const { n, pattern } of expectedOutputs(blocks))
      expect(readFileSync(path.join(out, `${n}.out`), 'utf8'), `${page}:${blocks[n]?.line}`).toMatch(pattern)
  })

  const here = (block: Block, port: string): Block => ({
    ...block,
    text: block.text.replaceAll(PORTS, port).replaceAll(SERVICE, served().url),
  })

  async function runShell(script: string, home: string, out: string): Promise<number> {
    const settings = {
      ...{ HOME: home, OUT: out, PATH: `${commandPath()}:${process.env.PATH}` },
      ...{ SCRIPTWARD_URL: served().url, SCRIPTWARD_TOKEN: ADMIN_KEY },
      ...{ SCRIPTWARD_DATA_DIR: path.join(folder(), 'data'), NO_COLOR: '1' },
    }
    // Runs in its own process group, so that background processes started by a page end with it.
    const shell = spawn('bash', ['-c', script], {
      ...{
        cwd: home,
        env: { ...process.env, ...settings },
        detached: true,
        stdio: 'ignore',
        timeout: HANG_MS,
      },
    })
    const [status, signal] = (await once(shell, 'exit')) as [number | null, string | null]
    endGroup(shell.pid)
    return signal === null ? (status ?? -1) : -1
  }
})

/** The last block that ran is the one that failed. */
function explain(page: string, blocks: readonly Block[], out: string): string {
  const last = Math.max(-1, ...readdirSync(out).map((name) => Number.parseInt(name, 10)))
  if (last < 0) return `${page}: no block was run`
  return `${page}:${blocks[last]?.line} printed\n${readFileSync(path.join(out, `${last}.out`), 'utf8')}`
}

function endGroup(id: number | undefined): void {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL')
  } catch {
    // All processes of the group have already ended.
  }
}
