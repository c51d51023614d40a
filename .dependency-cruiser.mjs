/**
 * Who may import whom: packages, folders of the server, and libraries that a single folder may use.
 * `npm run check` enforces it and `npm run architecture` draws it. Biome looks for import cycles.
 */

/** Package → the packages that it may import. */
const PACKAGES = {
  obfuscator: [],
  client: [],
  sdk: [],
  server: ['obfuscator', 'client'],
  cli: ['client', 'obfuscator', 'sdk'],
  dashboard: ['client', 'sdk'],
}

/**
 * The layers of packages/server/src, top to bottom, each with the folders and files it may import values from. A folder
 * may only list folders below it, so nothing imports upwards. Files
 * directly in src, such as `deps.ts`, may import any folder.
 */
const LAYERS = {
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
  http: [
    'endpoints',
    'offload',
    'pages',
    'domain',
    'limits',
    'store',
    'valkey',
    'tracing',
    'deps.ts',
    'config.ts',
  ],
  endpoints: ['pages', 'domain', 'adproviders'],
  offload: ['domain', 'obfuscation', 'limits'],
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

/** Folders of packages/server/src/domain from the highest noun to the lowest. A noun imports only nouns below it. */
const NOUNS = [
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

/** Library → the only part of packages/server/src that may import it. */
const OWNERS = [
  ['(fastify|@fastify)', 'http/'],
  ['(kysely|pg)', 'store/'],
  ['ws', 'http/websocket\\.ts$'],
  ['request-filtering-agent', 'webhooks/'],
  ['iovalkey', 'valkey/'],
  ['@opentelemetry', 'tracing/otlp\\.ts$'],
  ['nodemailer', 'mail/'],
  ['commander', '(main|cli/(admin|backup|move))\\.ts$'],
]
const BUILTIN_OWNERS = [
  ['sqlite', 'store/'],
  ['child_process', '(obfuscation/|store/engine/postgres/|systemd\\.ts$)'],
]

const SERVER = '^packages/server/src/'
const DOMAIN = `${SERVER}domain/`
const TEST = '\\.test\\.tsx?$'

const anyOf = (names) => `(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})(/|$)`
const rule = (name, from, to) => ({ name, severity: 'error', from: { pathNot: TEST, ...from }, to })

const packageRules = Object.entries(PACKAGES).map(([name, allowed]) =>
  rule(
    `package-${name}`,
    { path: `^packages/${name}/src/` },
    { path: '^packages/', pathNot: `^packages/${anyOf([name, ...allowed])}` },
  ),
)

const layerNames = Object.keys(LAYERS)
const layerRules = Object.entries(LAYERS).map(([name, allowed], at) => {
  const above = allowed.find((other) => layerNames.slice(0, at).includes(other))
  if (above !== undefined) throw new Error(`${name} names ${above}, which is above it in LAYERS`)
  const to = { path: SERVER, pathNot: `${SERVER}${anyOf([name, ...allowed])}` }
  return rule(`layer-${name}`, { path: `${SERVER}${name}/` }, { ...to, dependencyTypesNot: ['type-only'] })
})

const nounRules = NOUNS.map((name, at) =>
  rule(
    `noun-${name}`,
    { path: `${DOMAIN}${name}/` },
    { path: `${DOMAIN}[^/]+/`, pathNot: `${DOMAIN}${anyOf(NOUNS.slice(at))}` },
  ),
)

const ownerRules = [
  ...OWNERS.map(([library, owner]) => [`node_modules/(@types/)?${library}/`, owner]),
  ...BUILTIN_OWNERS.map(([library, owner]) => [`^(node:)?${library}$`, owner]),
].map(([path, owner]) =>
  rule(`only-in-${owner}`, { path: SERVER, pathNot: [TEST, `${SERVER}${owner}`] }, { path }),
)

export default {
  forbidden: [
    rule(
      'obfuscator-imports-nothing',
      { path: '^packages/obfuscator/src/' },
      { pathNot: '^packages/obfuscator/src/' },
    ),
    ...packageRules,
    ...layerRules,
    ...nounRules,
    rule(
      'noun-without-a-place-in-the-order',
      { path: `${DOMAIN}([^/]+)/`, pathNot: [TEST, `${DOMAIN}${anyOf(NOUNS)}`] },
      { path: `${DOMAIN}[^/]+/`, pathNot: `${DOMAIN}$1/` },
    ),
    rule('noun-below-all-nouns', { path: `${DOMAIN}[^/]+\\.ts$` }, { path: `${DOMAIN}[^/]+/` }),
    ...ownerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/sdk/src/generated/' },
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts'],
    },
  },
}
