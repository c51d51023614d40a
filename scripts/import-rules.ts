/** Who may import whom: packages, layers of the server, libraries that one place alone knows, and no cycles. */
import path from 'node:path'
import type { SourceFile } from './source-files.ts'

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  obfuscator: [],
  client: [],
  sdk: [],
  server: ['obfuscator', 'client'],
  cli: ['client', 'obfuscator', 'sdk'],
  dashboard: ['client', 'sdk'],
}

/**
 * The server's rooms from the top of the house to the bottom → rooms and files of packages/server/src whose values
 * each may import, beside its own. A room may only name rooms that stand below it here, so nothing imports upwards.
 * A file beside the rooms, such as `deps.ts`, may import any.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  cli: [
    'backup',
    'jobs',
    'http',
    'endpoints',
    'domain',
    'sessions',
    'secrets',
    'limits',
    'store',
    'valkey',
    'mail',
    'config.ts',
    'config-values.ts',
    'deps.ts',
    'open-deps.ts',
    'running-faults.ts',
    'start-faults.ts',
  ],
  http: ['endpoints', 'pages', 'domain', 'limits', 'store', 'valkey', 'tracing', 'deps.ts', 'config.ts'],
  endpoints: ['pages', 'domain', 'adproviders'],
  jobs: ['domain', 'webhooks', 'backup', 'store', 'tracing', 'deps.ts'],
  domain: [
    'webhooks',
    'sandbox',
    'obfuscation',
    'protocol',
    'sessions',
    'backup',
    'secrets',
    'limits',
    'store',
    'adproviders',
    'deps.ts',
  ],
  pages: [],
  webhooks: [],
  sandbox: ['obfuscation', 'limits'],
  obfuscation: ['limits', 'tracing'],
  protocol: ['sessions', 'secrets', 'limits', 'valkey'],
  sessions: ['secrets', 'limits', 'store', 'valkey'],
  backup: ['secrets', 'store'],
  secrets: [],
  limits: ['valkey'],
  store: [],
  adproviders: [],
  mail: [],
  valkey: [],
  tracing: [],
}

/**
 * The folders of packages/server/src/domain from the highest noun to the lowest; a noun imports only nouns below it,
 * types too. Files directly in `domain/` are the ground floor: every noun may import them, and they import no noun.
 */
const NOUNS: readonly string[] = [
  'executions',
  'ads',
  'scripts',
  'users',
  'plans',
  'variables',
  'projects',
  'people',
  'access',
  'accounts',
  'sessions',
  'functions',
  'messages',
  'webhooks',
  'audit',
]

/** Libraries that only one place of the server knows. */
const OWNERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^fastify$|^@fastify\//, /^http\//],
  [/^(kysely|pg|node:sqlite)$/, /^store\//],
  [/^ws$/, /^http\/websocket\.ts$/],
  [/^(node:)?child_process$/, /^(obfuscation|store\/engine\/postgres)\//],
  [/^request-filtering-agent$/, /^webhooks\//],
  [/^iovalkey$/, /^valkey\//],
  [/^@opentelemetry\//, /^tracing\/otlp\.ts$/],
  [/^nodemailer$/, /^mail\//],
  [/^commander$/, /^(main|cli\/(admin|backup|move))\.ts$/],
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
  const complaints = [...ownerComplaints(file, inside), ...nounComplaints(file, inside)]
  const room = inside.split('/')[0] ?? ''
  const allowed = LAYERS[room]
  for (const { typeOnly, target, line } of importsInside(file, inside)) {
    const place = target.split('/')[0] ?? ''
    if (typeOnly || allowed === undefined || place === room || allowed.includes(place)) continue
    complaints.push(`${file.path}:${line}: ${room} may not import ${target}`)
  }
  if (!/^(config|main)\.ts$/.test(inside) && /process\.env\b/.test(file.text)) {
    complaints.push(`${file.path}: only config.ts reads the environment`)
  }
  return complaints
}

function ownerComplaints(file: SourceFile, inside: string): string[] {
  return file.imports.flatMap(({ specifier, line }) =>
    OWNERS.filter(([library, owner]) => library.test(specifier) && !owner.test(inside)).map(
      ([, owner]) => `${file.path}:${line}: ${specifier} is known to ${owner.source} alone`,
    ),
  )
}

function nounComplaints(file: SourceFile, inside: string): string[] {
  const own = nounOf(inside)
  if (own === undefined) return []
  return importsInside(file, inside).flatMap(({ target, line }) => {
    const noun = nounOf(target)
    if (noun === undefined || noun === own || noun === GROUND) return []
    const isBelow = own !== GROUND && NOUNS.includes(own) && NOUNS.indexOf(own) < NOUNS.indexOf(noun)
    return isBelow
      ? []
      : [`${file.path}:${line}: domain/${own} may not import ${target}, which is not below it`]
  })
}

const GROUND = '(ground floor)'

/** `domain/users/bulk.ts` → `users`; undefined outside the domain. */
function nounOf(inside: string): string | undefined {
  const [room, noun, ...rest] = inside.split('/')
  if (room !== 'domain' || noun === undefined) return undefined
  return rest.length === 0 ? GROUND : noun
}

/** Imports of files of the server, each with its target below packages/server/src. */
function importsInside(file: SourceFile, inside: string) {
  return file.imports
    .filter(({ specifier }) => /^\..*\.ts$/.test(specifier))
    .map((one) => ({ ...one, target: path.posix.join(path.posix.dirname(inside), one.specifier) }))
}

/** Rows of `LAYERS` that name a room above themselves; the table is checked so that its order can be believed. */
export function misplacedLayers(layers = LAYERS): string[] {
  const rooms = Object.keys(layers)
  return Object.entries(layers).flatMap(([room, allowed]) =>
    allowed
      .filter((other) => other in layers && rooms.indexOf(other) <= rooms.indexOf(room))
      .map((other) => `scripts/import-rules.ts: ${room} names ${other}, which stands above it in LAYERS`),
  )
}

/** Imports of types count, because two files that need each other's types are one file; so do the files of threads. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]))
  const done = new Set<string>()
  const complaints = new Set<string>()
  const visit = (at: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(at)
    if (seen >= 0) complaints.add(`import cycle: ${[...trail.slice(seen), at].join(' → ')}`)
    if (seen >= 0 || done.has(at)) return
    for (const next of edges.get(at) ?? []) visit(next, [...trail, at])
    done.add(at)
  }
  for (const file of files) visit(file.path, [])
  return [...complaints]
}

function targetsOf(file: SourceFile): string[] {
  return file.imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map((one) => path.posix.join(path.posix.dirname(file.path), one.specifier))
}
