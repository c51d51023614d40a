/** Tests the published packages on a machine that has only Node and npm. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_KEY } from '../bench/served.ts'
import { placeOf, RUNTIMES } from '../packages/scriptward/bin/runtime.mjs'
import { mayMount, UNSHARE } from '../packages/server/test/mounts.ts'
import { expectedOutputs, readBlocks, scriptOf } from './guide-blocks.ts'
import { asNode } from './old-node.ts'
import { servedFolder } from './served-folder.ts'

const ROOT = path.dirname(import.meta.dirname)
const RELEASE = path.join(ROOT, '.tsbuild', 'release')
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
}
const KEY = 'a-key-for-the-first-admin'

let folder: string
beforeAll(() => {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'release.ts'), `v${version}`], {
    cwd: ROOT,
  })
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-packages-'))
  const packed = globSync(path.join(RELEASE, '*.tgz'))
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...packed)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const START = () => path.join(folder, 'node_modules', 'scriptward', 'bin', 'scriptward.mjs')
const npm = (...words: string[]) => execFileSync('npm', words, { cwd: folder })
const bin = (...words: string[]) =>
  execFileSync('npx', ['scriptward', ...words], { cwd: folder, encoding: 'utf8' })

describe('the packages, installed in an empty folder', () => {
  it('start a complete server, which stops with npx', async () => {
    const env = { ...process.env, SCRIPTWARD_PORT: '0', SCRIPTWARD_ADMIN_KEY: KEY }
    const service = spawn('npx', ['scriptward', 'serve'], { cwd: folder, env, detached: true })
    try {
      let [said, err] = ['', '']
      service.stdout.on('data', (chunk) => (said += String(chunk)))
      service.stderr.on('data', (chunk) => (err += String(chunk)))
      await expect.poll(() => said + err).toContain('listens on')
      await useService(/listens on ([^\s"]+)/.exec(said)?.[1] ?? '')
      service.kill('SIGTERM')
      await once(service, 'exit')
      const group = service.pid ?? 0
      await expect.poll(() => isAlive(-group)).toBe(false)
    } finally {
      if (service.pid !== undefined && isAlive(-service.pid)) process.kill(-service.pid, 'SIGKILL')
    }
  })

  it('are listed in the checksums of the release, with the bill of materials', () => {
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: RELEASE, encoding: 'utf8' })
    const names = checked
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/: OK$/, ''))
    const packages = ['', '-check', '-obfuscator', '-sdk']
    const packed = packages.map((name) => `scriptward${name}-${version}.tgz`)
    expect(names.sort()).toEqual([...packed, 'sbom.json'].sort())
    expect(readFileSync(path.join(RELEASE, 'NOTES.md'), 'utf8')).toContain('### Added')
  })

  it('include the license of every third-party package in them', () => {
    const home = path.join(folder, 'node_modules', 'scriptward')
    const sources = globSync(path.join(home, 'dist', '*.map')).flatMap(
      (file) => (JSON.parse(readFileSync(file, 'utf8')) as { readonly sources: string[] }).sources,
    )
    const bundled = sources.flatMap(
      (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
    )
    const { dependencies } = JSON.parse(
      readFileSync(path.join(ROOT, 'packages', 'dashboard', 'package.json'), 'utf8'),
    ) as { readonly dependencies: object }
    const inPages = Object.keys(dependencies).filter((name) => !name.startsWith('@scriptward/'))
    const text = readFileSync(path.join(home, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    const named = new Set([...text.matchAll(/^(\S+) \d+\.\d+\.\d+\S*\n\n/gm)].map(([, name = '']) => name))
    // These two are loaded indirectly: React loads `scheduler`, and a worker loads `luau-web`.
    const expected = [...new Set([...bundled, ...inPages, 'scheduler', 'luau-web'])]
    expect(expected).toEqual(expect.arrayContaining(['fastify', 'react']))
    expect(expected.filter((name) => !named.has(name))).toEqual([])
  })

  it('try everything out once', () => {
    const own = path.join(folder, 'temporary')
    mkdirSync(own)
    const env = { ...process.env, TMPDIR: own }
    const words = ['scriptward', 'try', '--once']
    expect(execFileSync('npx', words, { cwd: folder, encoding: 'utf8', env })).toContain(
      'Hello, first customer!',
    )
    // npm stores its own cache in this folder.
    expect(readdirSync(own).filter((name) => name.startsWith('scriptward'))).toEqual([])
  })

  it("include the authors' command line", () => {
    writeFileSync(path.join(folder, 'hello.lua'), 'print("hello")\n')
    bin('obfuscate', 'hello.lua', '-o', 'protected.lua')
    expect(spawnSync('lua5.1', ['protected.lua'], { cwd: folder, encoding: 'utf8' }).stdout).toBe('hello\n')
    expect(bin('run', 'hello.lua', '--local')).toBe('hello\n')
  })

  it('include the types of the obfuscator and of the SDK', () => {
    const source = `
import { obfuscate } from '@scriptward/obfuscator'
import { Scriptward } from '@scriptward/sdk'
export const text: string = JSON.stringify(obfuscate('print(1)', { target: 'lua51' }))
const scriptward = new Scriptward({ url: 'https://ward.example.com', token: 'x' })
export const ends = async (): Promise<number | null> => (await scriptward.users.get('key')).user.key_expires
// @ts-expect-error: a URL is a string
new Scriptward({ url: 1 })
// @ts-expect-error: a duration is a number
export const extended = scriptward.users.extend('key', { duration: '1 day' })
`
    writeFileSync(path.join(folder, 'uses.mts'), source)
    const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024']
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const found = spawnSync(process.execPath, [tsc, ...words, 'uses.mts'], { cwd: folder, encoding: 'utf8' })
    expect(found.stdout).toBe('')
  })

  it('check keys', () => {
    const source = `
import { readFileSync } from 'node:fs'
import { openAnswer } from '@scriptward/check'
const { question, text, signature, public_key } = JSON.parse(
  readFileSync('node_modules/@scriptward/check/vectors.json', 'utf8'),
)
const answer = await openAnswer({ question, text, signature, publicKeys: [public_key] })
console.log(answer.reason)
`
    writeFileSync(path.join(folder, 'vectors.mjs'), source)
    expect(execFileSync(process.execPath, ['vectors.mjs'], { cwd: folder, encoding: 'utf8' })).toBe('valid\n')
    const lua = 'print(type(dofile("node_modules/@scriptward/check/check.lua").question))'
    expect(execFileSync('lua5.1', ['-e', lua], { cwd: folder, encoding: 'utf8' })).toBe('function\n')
  })

  it('use the Node.js that an older one has downloaded, without npm', () => {
    const cache = path.join(folder, 'cache')
    linkNode(path.join(cache, 'scriptward'))
    const offline = { XDG_CACHE_HOME: cache, PATH: folder }
    expect(withOldNode(offline, '--version').stdout).toContain(`Node ${process.versions.node}`)
    const { status, stdout } = withOldNode(offline, 'try', '--once')
    expect(stdout).toContain('Hello, first customer!')
    expect(status).toBe(0)
  })

  it('say what to do if the downloaded Node.js cannot start', () => {
    const cache = path.join(folder, 'damaged')
    const pin = RUNTIMES[`${process.platform}-${process.arch}`] ?? { name: '', version: '' }
    const { program } = placeOf(pin, path.join(cache, 'scriptward'))
    mkdirSync(program, { recursive: true })
    const { status, stderr } = withOldNode({ XDG_CACHE_HOME: cache }, '--version')
    expect(stderr).toBe(
      `scriptward: ${program} can't start (EACCES). Install Node.js 24 or newer, or delete this file to download it again.\n`,
    )
    expect(status).toBe(1)
  })

  it('say what to do if an older Node.js can download nothing', () => {
    const nowhere = path.join(folder, 'hello.lua', 'cache')
    const { status, stderr } = withOldNode({ XDG_CACHE_HOME: nowhere }, 'serve')
    expect(stderr).toContain(`can't write to ${nowhere}`)
    expect(stderr).toContain('(ENOTDIR). Make it writable, or install Node.js 24 or newer.')
    expect(status).toBe(1)
  })
})

describe('a Node.js older than 20', () => {
  it.each(['12.22.12', '18.20.8'])('learns from %s which one to install', (found) => {
    const { status, stderr } = spawnSync(process.execPath, [...asNode(found), START(), '--version'], {
      encoding: 'utf8',
    })
    expect(stderr).toBe(
      `scriptward: Node.js ${found} is too old. Install Node.js 24, or at least 20, which can download 24.\n`,
    )
    expect(status).toBe(1)
  })

  it('is the only one that npm warns about', () => {
    const manifest = readFileSync(path.join(folder, 'node_modules', 'scriptward', 'package.json'), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({ engines: { node: '>=20' } })
  })

  it('understands the syntax of the file that it starts, which imports nothing before its check', () => {
    const source = readFileSync(START(), 'utf8')
    const written = (target: ScriptTarget) =>
      transpileModule(source, { compilerOptions: { target, module: ModuleKind.ESNext } }).outputText
    expect(written(ScriptTarget.ES2019)).toBe(written(ScriptTarget.ESNext))
    expect(source).not.toMatch(/^import /m)
  })
})

describe.skipIf(!mayMount())('in folders that cannot be written', () => {
  /** Mounts the package folder read-only for this command only. */
  const readOnly = (env: Readonly<Record<string, string>>, ...words: string[]) => {
    const mount = 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && exec "$0" "$@"'
    const command = ['sh', '-c', mount, process.execPath, START(), ...words]
    const all = { ...process.env, XDG_CACHE_HOME: path.join(folder, 'no-cache'), ...env }
    return spawnSync('unshare', [...UNSHARE, ...command], { cwd: folder, encoding: 'utf8', env: all })
  }

  it('everything can still be tried out', () => {
    const { status, stdout, stderr } = readOnly({}, 'try', '--once')
    expect(stdout, stderr).toContain('Hello, first customer!')
    expect(status).toBe(0)
  })

  it('the server names the folder of its data and what to do', () => {
    const { status, stderr } = readOnly({ SCRIPTWARD_PORT: '0' }, 'serve')
    expect(stderr).toMatch(/^scriptward: SCRIPTWARD_DATA_DIR: .* is not writable \(EROFS\): /)
    expect(status).toBe(1)
  })

  it('trying out names the folder for temporary files and what to do', () => {
    const { status, stderr } = readOnly({ TMPDIR: folder }, 'try', '--once')
    expect(stderr).toContain(
      `scriptward: Can't create a temporary folder in ${folder} (EROFS). Set TMPDIR to a folder that you can write to.`,
    )
    expect(status).toBe(1)
  })

  it('share the Node.js of `install-node` with users who can write nowhere', () => {
    const node = linkNode(path.join(folder, 'node_modules', 'scriptward', 'runtime'))
    const env = { XDG_CACHE_HOME: path.join(folder, 'hello.lua', 'cache') }
    expect(withOldNode({}, 'install-node').stdout).toBe(`Scriptward uses ${node}\n`)
    expect(withOldNode(env, '--version').stdout).toContain(`Node ${process.versions.node}`)
    expect(withOldNode(env, 'doctor').stdout).toMatch(/^ok {4}runtime$/m)
  })

  it('list `install-node` in their help, and explain it without downloading anything', () => {
    expect(bin('--help')).toMatch(/^ {2}install-node +Download Node\.js 24 for all users/m)
    const usage = 'Usage: scriptward install-node [options]'
    for (const words of [
      ['help', 'install-node'],
      ['install-node', '--help'],
    ])
      expect(bin(...words)).toContain(usage)
  })

  it('include every file of `deploy` that the server guide names', () => {
    const page = readFileSync(path.join(ROOT, 'docs', 'server.md'), 'utf8')
    const named = [...page.matchAll(/\/opt\/scriptward\/lib\/(node_modules\/scriptward\/deploy\/[\w.]+)/g)]
    expect(named.map(([, file = '']) => existsSync(path.join(folder, file)))).toEqual([true, true])
  })
})

describe('the READMEs of the packages', () => {
  const { served } = servedFolder()

  it.each(['scriptward', '@scriptward/obfuscator', '@scriptward/sdk', '@scriptward/check'])(
    'that of %s works as written',
    (name) => {
      const blocks = readBlocks(path.join(folder, 'node_modules', name, 'README.md'))
      const out = mkdtempSync(path.join(folder, 'out-'))
      const env = {
        ...process.env,
        ...{ OUT: out, SCRIPTWARD_URL: served().url, SCRIPTWARD_TOKEN: ADMIN_KEY, NO_COLOR: '1' },
      }
      // Replaces npm with a function that does nothing. The packages are already installed, and are not on
      // npm before their release.
      const script = `npm() { :; }\n${scriptOf(blocks)}`
      const done = spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' })
      expect(done.status, done.stderr).toBe(0)
      for (const { n, pattern } of expectedOutputs(blocks))
        expect(readFileSync(path.join(out, `${n}.out`), 'utf8')).toMatch(pattern)
    },
  )
})

/** Creates a symlink to this process's Node.js where a downloaded one would be, and returns its path. */
function linkNode(place: string): string {
  const pin = RUNTIMES[`${process.platform}-${process.arch}`] ?? { name: '', version: '' }
  const { program } = placeOf(pin, place)
  mkdirSync(path.dirname(program), { recursive: true })
  symlinkSync(process.execPath, program)
  return program
}

function withOldNode(env: Readonly<Record<string, string>>, ...words: string[]) {
  return spawnSync(process.execPath, [...asNode('20.20.2'), START(), ...words], {
    ...{ cwd: folder, encoding: 'utf8' },
    env: { ...process.env, ...env },
  })
}

/** Creates a project and a script, which is obfuscated in a child process, and opens the pages. */
async function useService(url: string): Promise<void> {
  const post = async (where: string, body: object) => {
    const headers = { token: KEY, 'content-type': 'application/json' }
    const answer = await fetch(url + where, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.ok, await answer.clone().text()).toBe(true)
    return (await answer.json()) as { project_id: string }
  }
  const { project_id } = await post('/v1/projects/new', { name: 'From the packages' })
  await post(`/v1/projects/${project_id}/scripts/new`, { name: 'Hello', script: 'print("hello")' })
  for (const page of ['/dashboard/', '/playground/', '/docs/', '/guide', '/guide/guide.js', '/openapi.json'])
    expect((await fetch(url + page)).ok).toBe(true)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
