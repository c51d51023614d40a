/**
 * Packs the published packages as `.tsbuild/packages/*.tgz`: compiled JavaScript and types, the files they read at run
 * time, and a manifest. A clone keeps running from its sources.
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

/** Maps each folder in `packages/` to the additional files to pack: the name in the package and the source path. */
const PACKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  obfuscator: {},
  client: { lua: 'lua', check: 'check', generated: 'generated' },
  sdk: {},
  server: { pages: 'pages', dashboard: '../dashboard/dist', docs: '../../docs' },
  cli: {},
  scriptward: { bin: 'bin' },
}

/** Documentation that is not packed: files the server generates itself, and files only for readers of the code. */
const LEFT_OUT = /[\\/](openapi\.json|decisions)$/

/** Matches the path of a TypeScript file of the package, in an import or in the URL of a worker thread. */
const SOURCE = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g

if (!existsSync(path.join(DASHBOARD, 'index.html')))
  throw new Error('The dashboard is not built. Use `npm run pack`, which builds it first.')
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

/** Copies compiled files. Sources with only types have no `.js`, and some others have no declarations. */
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
