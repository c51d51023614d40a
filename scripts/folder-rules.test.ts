/**
 * Tests that every rule in `.dependency-cruiser.mjs` works: for each rule, a temporary directory contains a
 * file that breaks it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from './run.ts'

/** Maps file paths below packages/ to their content. */
const FILES = {
  'obfuscator/src/reads-files.ts': "import 'node:fs'",
  'sdk/src/calls-server.ts': "import '../../server/src/http/pipeline.ts'",
  'server/src/features/keys/store/calls-logic.ts': "import { a } from '../low.ts'\nexport const b = a",
  'server/src/features/keys/store/knows-types.ts': "import type { A } from '../low.ts'\nexport type B = A",
  'server/src/features/keys/calls-endpoints.ts': "import './endpoints.ts'",
  'server/src/features/keys/calls-http.ts': "import '../../http/pipeline.ts'",
  'server/src/features/keys/writes-sql.ts': "import 'kysely'",
  'server/src/features/keys/starts-process.ts': "import 'node:child_process'",
  'server/src/features/keys/endpoints/calls-fastify.ts': "import 'fastify'",
  'server/src/features/keys/endpoints/knows-ads.ts': "import '../../ads/high.ts'",
  'server/src/features/keys/knows-ads.ts': "import type { A } from '../ads/high.ts'\nexport type B = A",
  'server/src/features/keys/knows-bans.ts': "import type { A } from '../bans/near.ts'\nexport type B = A",
  'server/src/features/ads/knows-keys.ts': "import type { A } from '../keys/low.ts'\nexport type B = A",
  'server/src/features/unheard-of/knows-keys.ts':
    "import type { A } from '../keys/low.ts'\nexport type B = A",
  'server/src/platform/calls-features.ts': "import '../features/keys/low.ts'",
  'server/src/http/calls-fastify.ts': "import 'fastify'",
  'server/src/http/pipeline.ts': '',
  'server/src/features/ads/high.ts': 'export type A = 1',
  'server/src/features/bans/near.ts': 'export type A = 1',
  'server/src/features/keys/endpoints.ts': '',
  'server/src/features/keys/low.ts': 'export type A = 1\nexport const a = 1',
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
  ['statements do not call the logic of a feature', 'server/src/features/keys/store/calls-logic.ts'],
  ['the logic of a feature does not call its endpoints', 'server/src/features/keys/calls-endpoints.ts'],
  ['the logic of a feature does not use HTTP', 'server/src/features/keys/calls-http.ts'],
  ['only statements use SQL', 'server/src/features/keys/writes-sql.ts'],
  ['features do not start processes', 'server/src/features/keys/starts-process.ts'],
  ['only http/ uses Fastify', 'server/src/features/keys/endpoints/calls-fastify.ts'],
  ['a feature does not use features above it, not even their types', 'server/src/features/keys/knows-ads.ts'],
  ['a feature outside the order imports nothing', 'server/src/features/unheard-of/knows-keys.ts'],
  ['the layers below features do not call them', 'server/src/platform/calls-features.ts'],
])('%s', (_, file) => {
  expect(broken[file]).toHaveLength(1)
})

test.each([
  ['statements may use types of their feature', 'server/src/features/keys/store/knows-types.ts'],
  ['endpoints may call any feature', 'server/src/features/keys/endpoints/knows-ads.ts'],
  ['http/ may use Fastify', 'server/src/http/calls-fastify.ts'],
  ['a feature may use the features below it', 'server/src/features/ads/knows-keys.ts'],
  ['features of one line may use each other', 'server/src/features/keys/knows-bans.ts'],
])('%s', (_, file) => {
  expect(broken[file]).toBeUndefined()
})
