/** `.dependency-cruiser.mjs` forbids what it claims to forbid: one file in a temporary tree breaks each rule. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from './run.ts'

/** File below packages/ → its text. */
const FILES = {
  'obfuscator/src/reads-files.ts': "import 'node:fs'",
  'sdk/src/calls-server.ts': "import '../../server/src/deps.ts'",
  'server/src/store/calls-domain.ts': "import { a } from '../domain/users/low.ts'\nexport const b = a",
  'server/src/store/knows-types.ts': "import type { A } from '../domain/users/low.ts'\nexport type B = A",
  'server/src/sessions/calls-protocol.ts': "import '../protocol/ratchet.ts'",
  'server/src/protocol/calls-sessions.ts': "import '../sessions/hub.ts'",
  'server/src/domain/users/writes-sql.ts': "import 'kysely'",
  'server/src/domain/users/starts-process.ts': "import 'node:child_process'",
  'server/src/endpoints/calls-fastify.ts': "import 'fastify'",
  'server/src/http/calls-fastify.ts': "import 'fastify'",
  'server/src/domain/users/knows-ads.ts': "import type { A } from '../ads/high.ts'\nexport type B = A",
  'server/src/domain/ads/knows-users.ts': "import type { A } from '../users/low.ts'\nexport type B = A",
  'server/src/domain/users/knows-ground.ts': "import type { A } from '../ground.ts'\nexport type B = A",
  'server/src/domain/knows-users.ts': "import type { A } from './users/low.ts'\nexport type B = A",
  'server/src/domain/unheard-of/knows-users.ts':
    "import type { A } from '../users/low.ts'\nexport type B = A",
  'server/src/deps.ts': '',
  'server/src/domain/ground.ts': 'export type A = 1',
  'server/src/domain/ads/high.ts': 'export type A = 1',
  'server/src/domain/users/low.ts': 'export type A = 1\nexport const a = 1',
  'server/src/protocol/ratchet.ts': '',
  'server/src/sessions/hub.ts': '',
}

let tree: string
let broken: Readonly<Record<string, string[]>>

beforeAll(() => {
  tree = mkdtempSync(path.join(tmpdir(), 'scriptward-folders-'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(tree, 'node_modules'))
  for (const [file, text] of Object.entries(FILES)) {
    const target = path.join(tree, 'packages', file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, `${text}\n`)
  }
  broken = brokenRules()
})

afterAll(() => rmSync(tree, { recursive: true, force: true }))

function brokenRules(): Record<string, string[]> {
  const config = path.join(ROOT, '.dependency-cruiser.mjs')
  const args = ['--config', config, '--output-type', 'json', 'packages']
  const done = spawnSync(path.join(ROOT, 'node_modules/.bin/depcruise'), args, {
    cwd: tree,
    encoding: 'utf8',
  })
  const { violations } = (JSON.parse(done.stdout) as Cruise).summary
  const rules: Record<string, string[]> = {}
  for (const { from, rule } of violations) {
    const file = path.posix.relative('packages', from)
    rules[file] = [...(rules[file] ?? []), rule.name]
  }
  return rules
}

type Cruise = {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[]
  }
}

test.each([
  ['the obfuscator imports nothing, not even a Node module', 'obfuscator/src/reads-files.ts'],
  ['the SDK does not import the server', 'sdk/src/calls-server.ts'],
  ['the store does not call the domain', 'server/src/store/calls-domain.ts'],
  ['live sessions do not call the client protocol above them', 'server/src/sessions/calls-protocol.ts'],
  ['only the store knows SQL', 'server/src/domain/users/writes-sql.ts'],
  ['the domain starts no process', 'server/src/domain/users/starts-process.ts'],
  ['only http/ knows Fastify', 'server/src/endpoints/calls-fastify.ts'],
  ['a noun knows no noun above it, not even its types', 'server/src/domain/users/knows-ads.ts'],
  ['a file directly in domain/ knows no noun', 'server/src/domain/knows-users.ts'],
  ['a noun without a place in the order knows no other noun', 'server/src/domain/unheard-of/knows-users.ts'],
])('%s', (_, file) => {
  expect(broken[file]).toHaveLength(1)
})

test.each([
  ['the store may know types of the domain', 'server/src/store/knows-types.ts'],
  ['a layer calls the layers it lists', 'server/src/protocol/calls-sessions.ts'],
  ['http/ uses Fastify', 'server/src/http/calls-fastify.ts'],
  ['a noun knows the nouns below it', 'server/src/domain/ads/knows-users.ts'],
  ['every noun knows the files directly in domain/', 'server/src/domain/users/knows-ground.ts'],
])('%s', (_, file) => {
  expect(broken[file]).toBeUndefined()
})
