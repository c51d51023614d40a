/**
 * Packs the published packages as `.tsbuild/packages/*.tgz`: bundled JavaScript, types, and the files read at
 * run time. The clone itself still runs from its sources. Also copies the playground to
 * `.tsbuild/playground`, as static files for any web server.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { publint } from 'publint'
import { bundleLibrary, bundlePrograms, NOT_BUNDLED } from './bundle.ts'
import { ROOT, run, TSC } from './run.ts'
import { LICENSES_FILE, licensesOf, mergeLicenses } from './third-party.ts'
import { complaintsAboutTypes } from './types-rules.ts'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines?: object
  readonly exports?: object
  readonly bin?: object
  readonly dependencies?: Readonly<Record<string, string>>
}

const OUT = path.join(ROOT, '.tsbuild', 'packages')
/** Static files that can be hosted without a server. */
const STATIC = path.join(ROOT, '.tsbuild', 'playground')
const PACKAGES = path.join(ROOT, 'packages')
const DASHBOARD = path.join(PACKAGES, 'dashboard', 'dist')
const PLAYGROUND = path.join(PACKAGES, 'dashboard', 'playground', 'dist')
/**
 * Repository that the packages are published from, as `owner/name`. npm compares it with a release's
 * provenance.
 */
const { GITHUB_REPOSITORY: REPOSITORY } = process.env

/**
 * Files to leave out: documentation that the server generates itself, files for contributors and type checks,
 * and files that build and check the container image.
 */
const LEFT_OUT =
  /[\\/](openapi\.json|decisions|contributing|[^\\/]+\.d\.mts|deploy[\\/](Dockerfile|compose\..+|.+\.sh))$/

/** A clone requires a newer Node.js, because it runs TypeScript. */
const FROM_NODE_20 = { node: '>=20' }

if (!existsSync(path.join(DASHBOARD, 'index.html')))
  throw new Error('The dashboard is not built. Use `npm run pack`, which builds it first.')
if (run(TSC, ['-b', '--pretty', 'false', 'packages/obfuscator', 'packages/sdk']) !== 0) process.exit(1)
rmSync(OUT, { recursive: true, force: true })
await packLibrary('obfuscator')
await packLibrary('sdk')
await packCheck()
await packPrograms()
rmSync(STATIC, { recursive: true, force: true })
cpSync(PLAYGROUND, STATIC, { recursive: true })

async function packLibrary(name: string): Promise<void> {
  const home = path.join(PACKAGES, name)
  const folder = path.join(OUT, name)
  await bundleLibrary(path.join(home, 'src', 'index.ts'), path.join(folder, 'dist', 'index.js'))
  copyTypes(name, path.join(folder, 'dist'))
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }
  await finish(home, folder, { exports, engines: FROM_NODE_20 })
}

/** Copies declarations. Their imports are changed from `.ts`, which exists only in a clone, to `.js`. */
function copyTypes(name: string, folder: string): void {
  const from = path.join(ROOT, '.tsbuild', name, 'src')
  for (const file of globSync('**/*.d.ts', { cwd: from })) {
    if (file.endsWith('.test.d.ts')) continue
    const text = readFileSync(path.join(from, file), 'utf8')
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text.replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1'))
  }
}

async function packCheck(): Promise<void> {
  const home = path.join(PACKAGES, 'client', 'check')
  const folder = path.join(OUT, 'check')
  for (const file of ['check.js', 'check.d.ts', 'vectors.json', '../generated/check.lua'])
    cpSync(path.join(home, file), path.join(folder, path.basename(file)))
  await finish(home, folder)
}

async function packPrograms(): Promise<void> {
  const home = path.join(PACKAGES, 'scriptward')
  const folder = path.join(OUT, 'scriptward')
  const modules = await bundlePrograms(path.join(folder, 'dist'))
  const beside = {
    bin: path.join(home, 'bin'),
    'server/pages': path.join(PACKAGES, 'server', 'pages'),
    'server/dashboard': DASHBOARD,
    'server/playground': PLAYGROUND,
    'server/docs': path.join(ROOT, 'docs'),
    'client/lua': path.join(PACKAGES, 'client', 'lua'),
    deploy: path.join(ROOT, 'deploy'),
  }
  for (const [to, from] of Object.entries(beside))
    cpSync(from, path.join(folder, to), { recursive: true, filter: (file) => !LEFT_OUT.test(file) })
  const ofPages = [DASHBOARD, PLAYGROUND].map((dist) => readFileSync(path.join(dist, LICENSES_FILE), 'utf8'))
  writeFileSync(path.join(folder, LICENSES_FILE), mergeLicenses([licensesOf(modules), ...ofPages]))
  await finish(home, folder, { dependencies: notBundled(), engines: FROM_NODE_20 })
}

function notBundled(): Record<string, string> {
  const { dependencies = {} } = readManifest(path.join(PACKAGES, 'server'))
  return Object.fromEntries(NOT_BUNDLED.map((name) => [name, dependencies[name] ?? '']))
}

/** Adds the manifest, README and license, packs the package and checks it. */
async function finish(home: string, folder: string, changed: Partial<Manifest> = {}): Promise<void> {
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  cpSync(path.join(home, 'README.md'), path.join(folder, 'README.md'))
  const { private: _, ...kept } = readManifest(home) as Manifest & { readonly private?: boolean }
  const repository = REPOSITORY && { type: 'git', url: `git+https://github.com/${REPOSITORY}.git` }
  const packed = { ...kept, ...changed, ...(repository && { repository }) }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
  const { messages } = await publint({ pkgDir: folder, strict: true })
  if (messages.length > 0) throw new Error(`publint of ${kept.name}: ${JSON.stringify(messages)}`)
  const done = spawnSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', OUT], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (done.status !== 0) throw new Error(`npm pack of ${kept.name} failed`)
  const file = done.stdout.trim()
  const complaints = packed.exports ? await complaintsAboutTypes(path.join(OUT, file)) : []
  if (complaints.length > 0) throw new Error(`arethetypeswrong in ${file}: ${complaints.join(', ')}`)
  process.stdout.write(`${file}\n`)
}

function readManifest(home: string): Manifest {
  return JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as Manifest
}
