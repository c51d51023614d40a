/** Who may import whom: packages, layers of the server, libraries that one place alone knows, and no cycles. */
import path from 'node:path'
import type { SourceFile } from './source-files.ts'

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  obfuscator: [],
  client: [],
  sdk: [],
  server: ['obfuscator', 'client'],
  cli: ['sdk', 'obfuscator'],
  dashboard: ['sdk'],
}

/** Folder of packages/server/src → folders (or files) of it whose values it may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  http: ['http', 'endpoints', 'pages', 'domain', 'limits', 'deps.ts', 'config.ts', 'store', 'valkey'],
  endpoints: ['endpoints', 'pages', 'domain', 'adproviders'],
  pages: ['pages'],
  domain: ['domain', 'store', 'webhooks', 'protocol', 'limits', 'adproviders', 'deps.ts'],
  workers: ['workers', 'domain', 'webhooks', 'store'],
  webhooks: ['webhooks'],
  store: ['store'],
  protocol: ['protocol', 'limits', 'valkey'],
  limits: ['limits', 'valkey'],
  valkey: ['valkey'],
  adproviders: ['adproviders'],
  obfuscation: ['obfuscation'],
  mail: ['mail'],
}

/** Libraries that only one place of the server knows. */
const OWNERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^fastify$|^@fastify\//, /^http\//],
  [/^(kysely|pg|node:sqlite)$/, /^store\//],
  [/^ws$/, /^http\/websocket\.ts$/],
  [/^piscina$/, /^obfuscation\//],
  [/^request-filtering-agent$/, /^webhooks\//],
  [/^iovalkey$/, /^valkey\//],
  [/^nodemailer$/, /^mail\//],
  [/^commander$/, /^(main|admin)\.ts$/],
]

const IMPURE = /\b(Math\.random|Date\.now|new Date)\b/

export function forbiddenImports(file: SourceFile): string[] {
  const [, name, folder, ...rest] = file.path.split('/')
  if (
    !file.path.startsWith('packages/') ||
    name === undefined ||
    folder !== 'src' ||
    file.path.endsWith('.test.ts')
  )
    return []
  return [
    ...packageComplaints(file, name),
    ...(name === 'server' ? layerComplaints(file, rest.join('/')) : []),
  ]
}

function packageComplaints(file: SourceFile, name: string): string[] {
  const complaints: string[] = []
  for (const { specifier, line } of file.imports) {
    const other = /^@scriptward\/([^/]+)/.exec(specifier)?.[1]
    if (other !== undefined && !PACKAGES[name]?.includes(other))
      complaints.push(`${file.path}:${line}: ${name} may not import ${other}`)
    if (name === 'obfuscator' && !specifier.startsWith('.'))
      complaints.push(`${file.path}:${line}: the obfuscator imports nothing`)
  }
  if (name === 'obfuscator' && IMPURE.test(file.text))
    complaints.push(`${file.path}: the obfuscator knows neither chance nor time`)
  return complaints
}

function layerComplaints(file: SourceFile, inside: string): string[] {
  const complaints: string[] = []
  const allowed = LAYERS[inside.split('/')[0] ?? '']
  for (const { specifier, typeOnly, line } of file.imports) {
    for (const [library, owner] of OWNERS) {
      if (library.test(specifier) && !owner.test(inside))
        complaints.push(`${file.path}:${line}: ${specifier} is known to ${owner.source} alone`)
    }
    if (typeOnly || allowed === undefined || !/^\..*\.ts$/.test(specifier)) continue
    const target = path.posix.join(path.posix.dirname(inside), specifier)
    const place = target.split('/')[0] ?? ''
    if (!allowed.includes(place))
      complaints.push(`${file.path}:${line}: ${inside.split('/')[0]} may not import ${target}`)
  }
  if (inside !== 'main.ts' && inside !== 'config.ts' && /process\.env\b/.test(file.text)) {
    complaints.push(`${file.path}: only config.ts reads the environment`)
  }
  return complaints
}

/** Value imports only: a type import leaves nothing behind at run time. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]))
  const done = new Set<string>()
  const complaints: string[] = []
  const visit = (at: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(at)
    if (seen >= 0) complaints.push(`import cycle: ${[...trail.slice(seen), at].join(' → ')}`)
    if (seen >= 0 || done.has(at)) return
    for (const next of edges.get(at) ?? []) visit(next, [...trail, at])
    done.add(at)
  }
  for (const file of files) visit(file.path, [])
  return complaints
}

function targetsOf(file: SourceFile): string[] {
  return file.imports
    .filter((one) => !one.typeOnly && one.specifier.startsWith('.'))
    .map((one) => path.posix.join(path.posix.dirname(file.path), one.specifier))
}
