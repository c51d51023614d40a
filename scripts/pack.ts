/**
 * Packs what is published as `.tsbuild/packages/*.tgz`: the JavaScript and the types that the compiler wrote, beside what they
 * read, with a manifest that names them. A clone goes on running its sources.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { publint } from 'publint'
import { ROOT, run, TSC } from './run.ts'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly exports?: Readonly<Record<string, string>>
  readonly private?: boolean
}

const OUT = path.join(ROOT, '.tsbuild', 'packages')
const DASHBOARD = path.join(ROOT, 'packages', 'dashboard', 'dist')

/** Folder of `packages/` → what is packed beside the compiled sources: its name there, and where it is. */
const PACKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  obfuscator: {},
  client: { lua: 'lua', check: 'check', generated: 'generated' },
  sdk: {},
  server: { pages: 'pages', dashboard: '../dashboard/dist', docs: '../../docs' },
  cli: {},
  scriptward: { bin: 'bin' },
}

/** Of the documents: what the service makes itself, and what only readers of the code need. */
const LEFT_OUT = /[\\/](openapi\.json|decisions)$/

/** In what the compiler wrote: the address of a file of the package in an import, or in the URL of a thread. */
const SOURCE = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g

if (!existsSync(path.join(DASHBOARD, 'index.html')))
  throw new Error('the dashboard is not built: start this with `npm run pack`')
const compiled = Object.keys(PACKED).filter((name) => name !== 'scriptward')
if (run(TSC, ['-b', '--pretty', 'false', ...compiled.map((name) => `packages/${name}`)]) !== 0)
  process.exit(1)
rmSync(OUT, { recursive: true, force: true })
for (const name of Object.keys(PACKED)) await pack(name)

async function pack(name: string): Promise<void> {
  const folder = path.join(OUT, name)
  stage(name, folder)
  const { messages } = await publint({ pkgDir: folder, strict: true })
  if (messages.length > 0) throw new Error(`publint of ${name}: ${JSON.stringify(messages)}`)
  const done = spawnSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', OUT], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (done.status !== 0) throw new Error(`npm pack of ${name} failed`)
}

function stage(name: string, folder: string): void {
  const home = path.join(ROOT, 'packages', name)
  const manifest = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as Manifest
  for (const source of globSync('src/**/*.ts', { cwd: home })) {
    if (!source.endsWith('.test.ts')) copyCompiled(name, source.replace(/\.ts$/, ''), folder)
  }
  const beside = PACKED[name] ?? {}
  for (const [to, from] of Object.entries(beside))
    cpSync(path.join(home, from), path.join(folder, to), {
      recursive: true,
      filter: (file) => !LEFT_OUT.test(file),
    })
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  writeFileSync(path.join(folder, 'README.md'), `# ${manifest.name}\n\n${manifest.description}\n`)
  const files = [...(existsSync(path.join(home, 'src')) ? ['dist'] : []), ...Object.keys(beside)]
  const packed = JSON.stringify(publishedManifest(manifest, files), null, 2)
  writeFileSync(path.join(folder, 'package.json'), `${packed}\n`)
}

/** Declarations have no `.js` where a source has no code, and the other way round. */
function copyCompiled(name: string, source: string, folder: string): void {
  for (const ending of ['.js', '.d.ts']) {
    const from = path.join(ROOT, '.tsbuild', name, source + ending)
    const to = path.join(folder, source.replace(/^src/, 'dist') + ending)
    mkdirSync(path.dirname(to), { recursive: true })
    writeFileSync(to, readFileSync(from, 'utf8').replaceAll(SOURCE, '$1$2.js$1'))
  }
}

function publishedManifest({ exports = {}, private: _, ...others }: Manifest, files: readonly string[]) {
  const entries = Object.entries(exports).map(([name, source]) => {
    const code = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js')
    return [name, { types: code.replace(/\.js$/, '.d.ts'), default: code }]
  })
  const { devDependencies, scripts, ...kept } = others as typeof others & Record<string, unknown>
  return { ...kept, ...(entries.length > 0 && { exports: Object.fromEntries(entries) }), files }
}
